// One document: its passages, its connections, and the passages that mention it.

import { address } from "../address.js";
import { at, get, remove } from "../api.js";
import { pluralize, element, fill } from "../dom.js";
import { metadataLine } from "../parts/metadata.js";
import { finder, highlight } from "../parts/highlight.js";
import { placeOf } from "../parts/labels.js";
import { fileButton } from "../parts/page-image.js";
import { aroundHref, linkList } from "../parts/links.js";
import { neighborhoodPart } from "../parts/neighborhood.js";
import { withRetry } from "../parts/problem.js";
import { reflow } from "../parts/reflow.js";

export const title = (values) => values.id ?? "Document";

/** Show the document in the address. */
export async function show(page, here) {
  const back = element("p", element("a", { href: address("documents", { index: page.index.name }) }, "All documents"));
  const place = element("div.document", element("p.soft", "Loading…"));
  fill(page.main, back, place);
  await withRetry(place, async () => {
    const found = await get(at(page.index.name, "documents", here.values.id ?? ""), page.signal);
    fill(place, documentParts(page, found, here.values.from));
    document.title = `${found.title || found.id} · multihop`;
  });
}

function documentParts(page, found, from) {
  const hrefOf = (link) => address("document", { index: page.index.name, id: link.id });
  return [
    element("h1", { dir: "auto" }, found.title || found.id),
    element(
      "p.soft",
      element("code", found.id),
      ` ${pluralize(found.passages_total, "passage")}`,
      found.aliases.length > 0 && `, also called ${found.aliases.join(", ")}`,
      found.file && [" · ", fileButton(page, found.id, found.file)],
    ),
    metadataLine(found.metadata, found.id),
    element(
      "div",
      { class: found.passages_total > 2 ? "columns long" : "columns" },
      element(
        "div.main-column",
        found.passages.map((p) => passagePart(page, found, p, hrefOf)),
        found.passages_total > found.passages.length &&
          element("p.soft", `The first ${found.passages.length} passages are shown.`),
      ),
      element(
        "div.side-column",
        neighborhoodPart(page, from || found.id),
        linkList("Named by", found.links_to, (l) => page.passageHref(l.id), "h2"),
        page.index.writable && page.mayWrite && deleteButton(page, found),
      ),
    ),
  ];
}

function passagePart(page, found, passage, hrefOf) {
  const numbered = found.passages_total > 1;
  return element(
    "section.document-passage",
    (passage.heading || passage.page || numbered) &&
      element(
        "h2",
        { dir: "auto" },
        passage.heading || `Passage ${placeOf(passage.id)}`,
        passage.page && element("span.soft", `, p. ${passage.page}`),
        numbered &&
          element("a.small", { href: aroundHref(page, found.id, passage.id) }, "connections of this passage"),
      ),
    element(
      "p.text",
      { dir: "auto" },
      highlight(
        (passage.page ? reflow(passage.text) : passage.text).replace(/\n\s*\n\s*\n/g, "\n\n").trim(),
        finder(passage.links.map((l) => ({ text: l.name, kind: "leads", passage: l.id }))),
        "",
        (id) => hrefOf({ id }),
      ),
    ),
    passage.links.length > 0 && linkList("Names", passage.links, hrefOf, "h2"),
  );
}

function deleteButton(page, found) {
  const place = element("p.buttons");
  const ask = element("button.quiet", { type: "button", on: { click: confirm } }, "Delete this document");
  function confirm() {
    const yes = element("button.danger", { type: "button", on: { click: carryOut } }, "Delete permanently");
    fill(place, yes, element("button", { type: "button", on: { click: () => fill(place, ask) } }, "Cancel"));
    yes.focus();
  }
  async function carryOut() {
    await withRetry(place, async () => {
      await remove(at(page.index.name, "documents", found.id));
      await page.indexChanged();
      page.announce(`${found.title || found.id} was deleted.`);
      page.go(address("documents", { index: page.index.name }));
    });
  }
  return fill(place, ask);
}
