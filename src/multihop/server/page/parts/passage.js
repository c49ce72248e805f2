// A passage in a dialog: its full text, the reason it was selected, and its links in both directions.

import { address } from "../address.js";
import { at, get } from "../api.js";
import { element, fill } from "../dom.js";
import { hopBadge, mostBySignal, reasonPart, signals } from "./evidence.js";
import { finder, finderFor, highlight, withWords } from "./highlight.js";
import { cameIn } from "./hops.js";
import { saveControls } from "./save-controls.js";
import { labelsOf } from "./labels.js";
import { aroundHref, linkList } from "./links.js";
import { metadataLine } from "./metadata.js";
import { numbersOf } from "./order.js";
import { fileButton, pageImage } from "./page-image.js";
import { withRetry } from "./problem.js";
import { hasChances, matchedWords } from "./question-match.js";
import { reflow } from "./reflow.js";

/** Open the dialog for one passage or two side by side; `result` is the one on the page, if any. */
export async function openPassage(page, ids, result) {
  const dialog = document.getElementById("passage");
  const content = dialog.querySelector(".passage") ?? element("div.passage");
  // An open dialog keeps its content until the next passage has loaded.
  if (!dialog.open) {
    fill(content, element("p.soft", { id: "passage-title" }, "Loading…"));
    fill(dialog, closeButton(dialog), content);
    dialog.showModal();
  }
  await withRetry(content, async () => {
    const found = await Promise.all(ids.map((id) => get(at(page.index.name, "passages", id), page.signal)));
    dialog.classList.toggle("two", found.length > 1);
    const shown = (p, i) => {
      const image = pageImage(page, p, quoteIn(result, p));
      const parts = element("div.one-passage", passageParts(page, p, result, i === 0));
      return image ? element("div.with-page", parts, image) : parts;
    };
    dialog.classList.toggle("paged", found.some((p) => p.page && p.file?.has_pages));
    fill(content, besidePart(page, found, result), element("div.beside", found.map(shown)));
    dialog.scrollTop = 0;
  });
}

function closeButton(dialog) {
  return element("button.close", { type: "button", "aria-label": "Close", on: { click: () => dialog.close() } });
}

/** A select of the other passages of the answer, to read one next to the first. */
function besidePart(page, [first, second], result) {
  const others = result?.evidence.map((e) => e.passage).filter((p) => p.id !== first.id) ?? [];
  if (!others.length) return null;
  const labels = labelsOf(others);
  const select = element(
    "select",
    { id: "beside", on: { change: () => page.go(page.passageHref(first.id, select.value)) } },
    element("option", { value: "", selected: !second }, "none"),
    others.map((p) => element("option", { value: p.id, selected: p.id === second?.id }, labels.get(p.id))),
  );
  return element("p.beside-choice", element("label", { for: "beside" }, "Read side by side with"), " ", select);
}

function passageParts(page, passage, result, first) {
  const evidence = result?.evidence.find((e) => e.passage.id === passage.id);
  const document = address("document", { index: page.index.name, id: passage.document_id });
  return [
    element(
      "h2",
      { id: first ? "passage-title" : undefined, dir: "auto" },
      passage.title || passage.document_id,
      passage.heading && element("span.soft", ` › ${passage.heading}`),
      passage.page && element("span.soft", `, p. ${passage.page}`),
    ),
    element(
      "p.soft",
      element("code", passage.id),
      " in ",
      element("a", { href: document }, "its document"),
      " · ",
      element("a", { href: aroundHref(page, passage.document_id, passage.id) }, "connections"),
      passage.file && [" · ", fileButton(page, passage.document_id, passage.file)],
    ),
    evidence &&
      element(
        "p.reason",
        hopBadge(cameIn(result).get(passage.id) ?? evidence.hop),
        ` [${numbersOf(result, result.chain).get(passage.id)}] `,
        reasonPart(evidence, matchedWords(result, passage).said),
      ),
    element("p.text", { dir: "auto" }, highlight(passage.page ? reflow(passage.text) : passage.text, termsFor(result, passage), passage.id, page.passageHref)),
    metadataLine(passage.metadata, passage.id),
    saveControls(page, passage, result?.question),
    evidence && signals(evidence, mostBySignal(result.evidence), hasChances(result)),
    linkList("Names", passage.links_from, (l) => address("document", { index: page.index.name, id: l.id })),
    linkList("Named by", passage.links_to, (l) => page.passageHref(l.id)),
  ];
}

/** The quote to mark on the page: the sentence that answers or links on, or the passage. */
function quoteIn(result, { id, text }) {
  const sentences = result?.answer?.sentences.map((s) => s.quote) ?? [];
  const links = result?.chain?.links.map((l) => l.quote) ?? [];
  return [...sentences, ...links].find((q) => q?.passage_id === id)?.text ?? text;
}

function termsFor(result, passage) {
  return result ? withWords(finderFor(result), matchedWords(result, passage).forms) : finder([]);
}
