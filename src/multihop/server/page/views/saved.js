// What was kept of an index in this browser: pinned and noted passages by collection, and the questions asked.

import { address, askedOf } from "../address.js";
import { element, fill } from "../dom.js";
import { forget, keptOf } from "../kept.js";
import { downloadButton } from "../parts/download.js";
import { collections, keptCsv, keptMarkdown } from "../parts/kept-text.js";
import { keepingPart } from "../parts/keeping.js";

export const title = () => "Saved";

/** Show what is kept of the index. */
export function show(page, here) {
  const { name } = page.index;
  const kept = keptOf(name);
  const passages = Object.keys(kept.passages).length;
  const forgetting = (label, ...parts) =>
    element("button.quiet", { type: "button", on: { click: () => (forget(name, ...parts), show(page, here)) } }, label);
  fill(
    page.main,
    element("h1", "Saved"),
    element("p.soft", "Kept in this browser only; save it as a file to take it along."),
    (passages > 0 || kept.questions.length > 0) &&
      element(
        "p.buttons",
        downloadButton("Markdown", `${name}-saved.md`, "text/markdown", () => keptMarkdown(name, keptOf(name))),
        downloadButton("CSV", `${name}-saved.csv`, "text/csv", () => keptCsv(keptOf(name))),
        downloadButton("JSON", `${name}-saved.json`, "application/json", () => JSON.stringify(keptOf(name), null, 1)),
      ),
    element("section.saved", element("h2", "Passages"), passagesPart(page, kept), passages > 0 && forgetting("Forget all passages", "passages")),
    element("section.saved", element("h2", "Questions"), questionsPart(page, kept.questions), kept.questions.length > 0 && forgetting("Forget all questions", "questions")),
  );
}

function passagesPart(page, kept) {
  const found = collections(kept);
  if (!found.length) return element("p.soft", "None. Pin a passage of an answer, rate it, or write a note on it.");
  return found.map(([name, passages]) => [
    found.length > 1 && element("h3.part-title", name || "In no collection"),
    element("ul.documents", passages.map((p) => element("li", { dir: "auto" }, passageLine(page, p), keepingPart(page, p, p.question)))),
  ]);
}

function passageLine(page, { id, title: label, question }) {
  return element(
    "div",
    element("a", { href: page.passageHref(id) }, label || id),
    question && element("small.for", "found for ", element("q", question)),
  );
}

function questionsPart(page, questions) {
  if (!questions.length) return element("p.soft", "None yet.");
  return element(
    "ul.examples",
    questions.map(({ strategy, at, found, ...asked }) =>
      element(
        "li",
        element("a", { href: address("ask", { index: page.index.name, ...askedOf(asked), strategy }), dir: "auto" }, asked.q),
        element("small.soft", [strategy, found, new Date(at).toLocaleDateString("en", { dateStyle: "medium" })].filter(Boolean).join(", ")),
      ),
    ),
  );
}
