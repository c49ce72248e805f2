// Joins the lines of wrapped prose, as in PDF files; list items, table rows and short lines stay lines.

const SHARE = 0.65;
const NARROW = 40;
const OWN_LINE = /^\s*(?:[-*+•‣◦▪●○–—]\s|-{1,2}\w|\(?(?:\d{1,3}|[a-z])[.)]\s|#{1,6}\s)| · /u;
const ENDS = /[.!?:;…]["'”’)\]]*$/u;

/** The text with the line breaks inside sentences replaced by blanks; offsets do not change. */
export function reflow(text) {
  return text
    .split(/(\n[ \t]*\n|\n?\f)/)
    .map((block, i) => (i % 2 ? block : joined(block)))
    .join("")
    .replaceAll("\f", "\n");
}

function joined(block) {
  const lines = block.split("\n");
  const width = Math.max(...lines.map((line) => line.length));
  if (width < NARROW) return block;
  const goesOn = (line, next) =>
    next !== undefined && !OWN_LINE.test(line) && !OWN_LINE.test(next) && (line.length >= width * SHARE || (!ENDS.test(line) && /^\p{Ll}/u.test(next)));
  return lines.map((line, i) => (i === lines.length - 1 ? line : line + (goesOn(line, lines[i + 1]) ? " " : "\n"))).join("");
}
