// A passage in full, over the page: its text, why it is there, what it names and what names it.

import { address } from "../address.js";
import { at, get } from "../api.js";
import { element, fill } from "../dom.js";
import { hopBadge, metadataLine, mostBySignal, reasonPart, signals } from "./evidence.js";
import { finder, finderFor, marked, withWords } from "./highlight.js";
import { cameIn } from "./hops.js";
import { keepingPart } from "./keeping.js";
import { around } from "./neighborhood.js";
import { failed } from "./problem.js";
import { hasChances, sharedWith } from "./shared.js";

/** Open the dialog on a passage; `result` is the one on the page, if any. */
export async function openPassage(page, id, result) {
  const dialog = document.getElementById("passage");
  const content = dialog.querySelector(".passage") ?? element("div", { class: "passage" });
  if (!dialog.open) {
    fill(content, element("p", { class: "soft", id: "passage-title" }, "Loading…"));
    fill(dialog, closeButton(dialog), content);
    dialog.showModal();
  }
  try {
    const found = await get(at(page.index.name, "passages", id), page.signal);
    fill(content, passageParts(page, found, result));
    dialog.scrollTop = 0;
  } catch (error) {
    failed(content, error, () => openPassage(page, id, result));
  }
}

/** Close the dialog, if it is open. */
export function closePassage() {
  document.getElementById("passage").close();
}

function closeButton(dialog) {
  return element(
    "button",
    { type: "button", class: "close", "aria-label": "Close", on: { click: () => dialog.close() } },
    "×",
  );
}

function passageParts(page, passage, result) {
  const evidence = result?.evidence.find((e) => e.passage.id === passage.id);
  const document = address("document", { index: page.index.name, id: passage.document_id });
  return [
    element(
      "h2",
      { id: "passage-title", dir: "auto" },
      passage.title || passage.document_id,
      passage.heading && element("span", { class: "soft" }, ` › ${passage.heading}`),
      passage.page && element("span", { class: "soft" }, `, p. ${passage.page}`),
    ),
    element(
      "p",
      { class: "soft" },
      element("code", {}, passage.id),
      " in ",
      element("a", { href: document }, "its document"),
      " · ",
      element("a", { href: around(page, passage.document_id, passage.id) }, "what lies around it"),
    ),
    evidence &&
      element(
        "p",
        { class: "reason" },
        hopBadge(cameIn(result).get(passage.id) ?? evidence.hop),
        ` rank ${evidence.rank}: `,
        reasonPart(evidence.reason, sharedWith(result, passage).said),
      ),
    element(
      "p",
      { class: "text", dir: "auto" },
      marked(passage.text, termsFor(result, passage), passage.id, page.passageHref),
    ),
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

/** Links as a list: the title of the other end, and the name that was used. */
export function linkList(title, links, hrefOf, level = "h3") {
  return element(
    "section",
    { class: "links" },
    element(level, {}, `${title} `, element("small", {}, links.length)),
    links.length === 0
      ? element("p", { class: "soft" }, "nothing")
      : element(
          "ul",
          { class: "inline" },
          links.map((l) =>
            element(
              "li",
              {},
              element("a", { href: hrefOf(l), title: l.name && `by the name “${l.name}”` }, l.title || l.id),
            ),
          ),
        ),
  );
}
