// Saved items of an index in this browser: passages by collection, and past questions.

import { address, askedOf } from "../address.js";
import { element, fill } from "../dom.js";
import { clearSaved, savedItems } from "../saved-items.js";
import { downloadButton } from "../parts/download.js";
import { collections, savedCsv, savedMarkdown } from "../parts/saved-export.js";
import { saveControls } from "../parts/save-controls.js";

export const title = () => "Saved";

/** Show the saved items of the index. */
export function show(page, here) {
  const { name } = page.index;
  const kept = savedItems(name);
  const passages = Object.keys(kept.passages).length;
  const forgetting = (label, ...parts) =>
    element("button.quiet", { type: "button", on: { click: () => (clearSaved(name, ...parts), show(page, here)) } }, label);
  fill(
    page.main,
    element("h1", "Saved"),
    element("p.soft", "Stored in this browser only; download a file to keep or share it."),
    (passages > 0 || kept.questions.length > 0) &&
      element(
        "p.buttons",
        downloadButton("Markdown", `${name}-saved.md`, "text/markdown", () => savedMarkdown(name, savedItems(name))),
        downloadButton("CSV", `${name}-saved.csv`, "text/csv", () => savedCsv(savedItems(name))),
        downloadButton("JSON", `${name}-saved.json`, "application/json", () => JSON.stringify(savedItems(name), null, 1)),
      ),
    element("section.saved", element("h2", "Passages"), passagesPart(page, kept), passages > 0 && forgetting("Delete all passages", "passages")),
    element("section.saved", element("h2", "Questions"), questionsPart(page, kept.questions), kept.questions.length > 0 && forgetting("Delete all questions", "questions")),
  );
}

function passagesPart(page, kept) {
  const found = collections(kept);
  if (!found.length) return element("p.soft", "None yet. Pin, rate or annotate a passage of an answer.");
  return found.map(([name, passages]) => [
    found.length > 1 && element("h3.part-title", name || "No collection"),
    element("ul.documents", passages.map((p) => element("li", { dir: "auto" }, passageLine(page, p), saveControls(page, p, p.question)))),
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
