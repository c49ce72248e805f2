// Export of saved items: Markdown to read, CSV for a spreadsheet.

import { plain } from "./markdown.js";
import { csvLine } from "./survey-csv.js";

const COLUMNS = ["passage", "title", "collection", "pinned", "thumb", "note", "question", "at"];

/** Passages by collection, those without one last: [[name, passages]]. */
export function collections({ passages }) {
  const found = new Map();
  for (const each of Object.values(passages)) {
    const name = each.collection ?? "";
    found.set(name, [...(found.get(name) ?? []), each]);
  }
  return [...found].sort(([a], [b]) => (a === "") - (b === "") || a.localeCompare(b));
}

/** Format passages with their notes, and the questions, as Markdown. */
export function savedMarkdown(index, kept) {
  const line = ({ id, title, thumb, note, question, at }) => {
    const rated = { up: "helps", down: "does not help" }[thumb];
    const about = [rated, question && `found for “${plain(question)}”`, at?.slice(0, 10)].filter(Boolean).join(", ");
    return `- **${plain(title)}** (\`${id}\`)${about && `: ${about}`}${note ? `\n  > ${plain(note)}` : ""}`;
  };
  const parts = collections(kept).flatMap(([name, passages]) => [`## ${plain(name || "Passages")}`, "", ...passages.map(line), ""]);
  const asked = kept.questions.map(({ q, at }) => `- ${plain(q)} (${at.slice(0, 10)})`);
  return `${[`# ${plain(index)}`, "", ...parts, "## Questions", "", ...asked].join("\n").trimEnd()}\n`;
}

/** Format the passages as CSV. */
export function savedCsv({ passages }) {
  return [COLUMNS, ...Object.values(passages).map((p) => COLUMNS.map((c) => (c === "passage" ? p.id : p[c] ?? "")))].map(csvLine).join("");
}
