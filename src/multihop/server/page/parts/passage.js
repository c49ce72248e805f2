// A passage in full, over the page: its text, why it is there, what it names and what names it.

import { address } from "../address.js";
import { at, get } from "../api.js";
import { element, fill } from "../dom.js";
import { hopBadge, mostBySignal, reasonPart, signals } from "./evidence.js";
import { finder, finderFor, marked, withWords } from "./highlight.js";
import { cameIn } from "./hops.js";
import { keepingPart } from "./keeping.js";
import { labelsOf } from "./labels.js";
import { aroundHref, linkList } from "./links.js";
import { metadataLine } from "./metadata.js";
import { attempted } from "./problem.js";
import { hasChances, sharedWith } from "./shared.js";

/** Open the dialog on a passage, or on two beside each other; `result` is the one on the page, if any. */
export async function openPassage(page, ids, result) {
  const dialog = document.getElementById("passage");
  const content = dialog.querySelector(".passage") ?? element("div.passage");
  // One that is open keeps what it shows until the next passage is there.
  if (!dialog.open) {
    fill(content, element("p.soft", { id: "passage-title" }, "Loading…"));
    fill(dialog, closeButton(dialog), content);
    dialog.showModal();
  }
  await attempted(content, async () => {
    const found = await Promise.all(ids.map((id) => get(at(page.index.name, "passages", id), page.signal)));
    dialog.classList.toggle("two", found.length > 1);
    const shown = (p, i) => element("div.one-passage", passageParts(page, p, result, i === 0));
    fill(content, besidePart(page, found, result), element("div.beside", found.map(shown)));
    dialog.scrollTop = 0;
  });
}

function closeButton(dialog) {
  return element("button.close", { type: "button", "aria-label": "Close", on: { click: () => dialog.close() } }, "×");
}

/** A choice of the other passages of the answer, to read one beside the first. */
function besidePart(page, [first, second], result) {
  const others = result?.evidence.map((e) => e.passage).filter((p) => p.id !== first.id) ?? [];
  if (!others.length) return null;
  const labels = labelsOf(others);
  const select = element(
    "select",
    { id: "beside", on: { change: () => page.go(page.passageHref(first.id, select.value)) } },
    element("option", { value: "", selected: !second }, "nothing"),
    others.map((p) => element("option", { value: p.id, selected: p.id === second?.id }, labels.get(p.id))),
  );
  return element("p.beside-choice", element("label", { for: "beside" }, "Read beside it"), " ", select);
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
      element("a", { href: aroundHref(page, passage.document_id, passage.id) }, "what lies around it"),
    ),
    evidence &&
      element(
        "p.reason",
        hopBadge(cameIn(result).get(passage.id) ?? evidence.hop),
        ` rank ${evidence.rank}: `,
        reasonPart(evidence.reason, sharedWith(result, passage).said),
      ),
    element("p.text", { dir: "auto" }, marked(passage.text, termsFor(result, passage), passage.id, page.passageHref)),
    metadataLine(passage.metadata),
    keepingPart(page, passage, result?.question),
    evidence && signals(evidence, mostBySignal(result.evidence), hasChances(result)),
    linkList("Names", passage.links_from, (l) => address("document", { index: page.index.name, id: l.id })),
    linkList("Named by", passage.links_to, (l) => page.passageHref(l.id)),
  ];
}

function termsFor(result, passage) {
  return result ? withWords(finderFor(result), sharedWith(result, passage).forms) : finder([]);
}
