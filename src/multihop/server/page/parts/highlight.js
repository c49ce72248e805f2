// Finds names in a text, so that a reader sees at once why a passage was taken.

import { element } from "../dom.js";

/** What to mark for a result: what the question names, and what leads on to other evidence. */
export function termsOf(result) {
  const plan = result.trace.plan;
  const asked = [...plan.entities.map((e) => e.text), ...plan.aspects.flatMap((a) => a.subjects)];
  const terms = new Map(asked.filter(Boolean).map((text) => [folded(text), { text, kind: "asked" }]));
  for (const { passage } of result.evidence) {
    const name = passage.title.replace(/\s*\([^)]*\)$/, "");
    if (name.length > 1 && !terms.has(folded(name)))
      terms.set(folded(name), { text: name, kind: "leads", passage: passage.id });
  }
  return [...terms.values()];
}

/** Cut a text into pieces, {text} or {text, term}: longest names first, whole words only, whatever the case. */
export function pieces(text, terms) {
  const known = new Map(terms.map((t) => [folded(t.text), t]));
  const names = [...known.values()].map((t) => t.text).sort((a, b) => b.length - a.length);
  if (!names.length) return [{ text }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "giu");
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

/** The text with its names marked; a name that leads to another passage is a link to it, but not to itself. */
export function marked(text, terms, own, hrefOf) {
  return pieces(text, terms).map((piece) => {
    if (!piece.term || piece.term.passage === own) return piece.text;
    if (piece.term.kind === "asked") return element("mark", {}, piece.text);
    return element("a", { class: "leads", href: hrefOf(piece.term.passage) }, piece.text);
  });
}

function folded(text) {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function escaped(text) {
  return text
    .trim()
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/\s+/g, "\\s+");
}
