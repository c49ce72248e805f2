// Finds and highlights names in a text, to show why a passage was selected.

import { element } from "../dom.js";

const MOST_LEADS = 200;
// In scripts without spaces a name may occur anywhere in a text; elsewhere it must be a whole word.
export const UNSPACED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((s) => `\\p{Script=${s}}`).join("");
const JOINED = `(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}]`;
const BEGINS = new RegExp(`^[${UNSPACED}]`, "u");
const ENDS = new RegExp(`[${UNSPACED}]$`, "u");

/** A finder for a result: names in the question, and names that link to other evidence. */
export function finderFor(result) {
  const plan = result.trace.plan;
  const asked = [...plan.entities.map((e) => e.text), ...plan.aspects.flatMap((a) => a.subjects)];
  const terms = new Map(asked.filter(Boolean).map((text) => [folded(text), { text, kind: "asked" }]));
  for (const { passage } of result.evidence.slice(0, MOST_LEADS)) {
    // Texts write “Fram (ship)” as “Fram”.
    const name = passage.title.replace(/\s*\([^)]*\)$/, "");
    if (name.length > 1 && !terms.has(folded(name)))
      terms.set(folded(name), { text: name, kind: "leads", passage: passage.id });
  }
  return finder([...terms.values()]);
}

/** The same finder, extended by some words. */
export function withWords({ known }, words) {
  const more = words.filter((w) => !known.has(folded(w))).map((text) => ({ text, kind: "word" }));
  return finder([...known.values(), ...more]);
}

/** Prepare a finder for terms, {text, kind, passage}: longest first, whole words, case-insensitive. */
export function finder(terms) {
  const known = new Map(terms.map((t) => [folded(t.text), t]));
  const texts = [...known.values()].map((t) => t.text.trim()).filter(Boolean);
  const names = texts.sort((a, b) => b.length - a.length).map(bounded);
  return { known, pattern: names.length ? new RegExp(names.join("|"), "giu") : null };
}

/** Split text into pieces, {text} or {text, term}. */
export function pieces(text, { known, pattern }) {
  if (!pattern) return [{ text }];
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index) });
    found.push({ text: match[0], term: known.get(folded(match[0])) });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}

/** The text with names highlighted; a name that leads to another passage links to it. */
export function highlight(text, finding, own, hrefOf) {
  return pieces(text, finding).map((piece) => {
    if (!piece.term || piece.term.passage === own) return piece.text;
    if (piece.term.kind === "asked") return element("mark", piece.text);
    if (piece.term.kind === "word") return element("mark.word", piece.text);
    return element("a.leads", { href: hrefOf(piece.term.passage) }, piece.text);
  });
}

function bounded(name) {
  const before = BEGINS.test(name) ? "" : `(?<!${JOINED})`;
  const after = ENDS.test(name) ? "(?!\\p{M})" : `(?!${JOINED})`;
  return `${before}${escaped(name)}${after}`;
}

function folded(text) {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function escaped(text) {
  return text.trim().replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/\s+/g, "\\s+");
}
