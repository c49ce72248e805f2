// Browse the documents of an index, find one by the beginning of its id or title, add new ones.

import { address } from "../address.js";
import { at, get } from "../api.js";
import { counted, element, fill } from "../dom.js";
import { metadataLine } from "../parts/evidence.js";
import { failed } from "../parts/problem.js";
import { uploadPart } from "../parts/upload.js";

const PART = 50;

export const title = () => "Documents";

/** Show the list from where the address says. */
export function show(page, here) {
  const { starts = "", after = "" } = here.values;
  const list = element("div", { class: "answer" });
  const input = element("input", { id: "starts", name: "starts", type: "search", value: starts, autocomplete: "off" });
  const form = element(
    "form",
    { class: "find", role: "search", on: { submit: find } },
    element("label", { for: "starts" }, "Id or title starts with"),
    input,
    element("button", { type: "submit" }, "Find"),
  );
  function find(event) {
    event.preventDefault();
    page.go(address("documents", { index: page.index.name, starts: input.value.trim() }));
  }
  fill(
    page.main,
    element("h1", {}, "Documents"),
    element(
      "p",
      { class: "soft" },
      `${counted(page.index.documents, "document")} in ${counted(page.index.passages, "passage")}`,
    ),
    page.index.writable && page.mayWrite && uploadPart(page, () => listInto(list, page, here, starts, after)),
    form,
    list,
  );
  listInto(list, page, here, starts, after);
}

async function listInto(place, page, here, starts, after) {
  try {
    const query = new URLSearchParams({ starts, after, limit: String(PART) });
    const found = await get(`${at(page.index.name, "documents")}?${query}`, page.signal);
    fill(
      place,
      found.documents.length
        ? table(page, found.documents)
        : element(
            "p",
            { class: "soft" },
            starts ? `No document starts with “${starts}”.` : "There is no document yet.",
          ),
      turn(page, starts, after, found.next),
    );
  } catch (error) {
    failed(place, error, () => listInto(place, page, here, starts, after));
  }
}

function table(page, documents) {
  return element(
    "ul",
    { class: "documents" },
    documents.map((d) =>
      element(
        "li",
        {},
        element(
          "div",
          {},
          element("a", { href: address("document", { index: page.index.name, id: d.id }) }, d.title || d.id),
          d.title && d.title !== d.id && [" ", element("code", {}, d.id)],
        ),
        metadataLine(d.metadata),
      ),
    ),
  );
}

function turn(page, starts, after, next) {
  const index = page.index.name;
  return element(
    "p",
    { class: "buttons" },
    after && element("a", { class: "button", href: address("documents", { index, starts }) }, "From the beginning"),
    next && element("a", { class: "button", href: address("documents", { index, starts, after: next }) }, "Next"),
  );
}
