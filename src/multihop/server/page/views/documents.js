// Browse the documents of an index: search, filter, sort, paginate; add new ones.

import { address, withValues } from "../address.js";
import { at, get, post } from "../api.js";
import { pluralize, element, facts, fill } from "../dom.js";
import { metadataLine } from "../parts/metadata.js";
import { facetList } from "../parts/facets.js";
import { withRetry } from "../parts/problem.js";
import { snippet } from "../parts/snippet.js";
import { uploadPart } from "../parts/upload.js";
import { parseFilter } from "../filters.js";

const ON_A_PAGE = 50;
const NEAR = 2;

export const title = (values) => (values.search ? `Documents: ${values.search}` : "Documents");

/** Show the page of the list in the address. */
export function show(page, here) {
  const list = element("div.answer", element("p.soft", "Loading…"));
  const again = () => listInto(list, page, here);
  fill(
    page.main,
    element("h1", "Documents"),
    statistics(page),
    page.index.writable && page.mayWrite && uploadPart(page, again),
    searchForm(page, here),
    list,
  );
  again();
}

function searchForm(page, here) {
  const { search = "", where = "", sort = "" } = here.values;
  const input = element("input", { id: "search", name: "search", type: "search", value: search, autocomplete: "off" });
  const fields = Object.keys(page.index.fields ?? {});
  const order = element(
    "select",
    { id: "sort", name: "sort", on: { change: () => find() } },
    [["", search ? "best match" : "id"], ...(search ? [["id", "id"]] : []), ["title", "title"], ["-title", "title, last first"]].map(option),
    fields.map((f) => [option([f, f]), option([`-${f}`, `${f}, highest first`])]),
  );
  function option([value, label]) {
    return element("option", { value, selected: value === sort }, label);
  }
  function find(event) {
    event?.preventDefault();
    page.go(address("documents", { index: page.index.name, search: input.value.trim(), where, sort: order.value }));
  }
  return element(
    "form.find",
    { role: "search", on: { submit: find } },
    element("label", { for: "search" }, "Words in the text, or the start of an id or title"),
    input,
    element("button", { type: "submit" }, "Find"),
    element("label", { for: "sort" }, "sorted by"),
    order,
  );
}

async function listInto(place, page, here) {
  await withRetry(place, async () => {
    const { search = "", where = "", sort = "", page: number = "1" } = here.values;
    const asked = {
      search,
      where: parseFilter(where),
      sort: sort.replace(/^-/, ""),
      descending: sort.startsWith("-"),
      page: Math.max(1, Number.parseInt(number, 10) || 1),
      limit: ON_A_PAGE,
    };
    const found = await post(at(page.index.name, "catalog"), asked, page.signal);
    fill(place, said(found, here), listed(page, here, found));
    page.announce(pluralize(found.total, "document"));
  });
}

function said({ total, capped, page: number, pages }, { values }) {
  const narrowed = [values.search && `for “${values.search}”`, values.where && `with ${values.where}`].filter(Boolean).join(", ");
  if (!total) return element("p.soft", narrowed ? `No documents ${narrowed}.` : "No documents yet.");
  const more = capped ? `More than ${pluralize(total, "document")}; the first by id are shown. Search to see others` : pluralize(total, "document");
  return element("p.soft", `${more}${narrowed && ` ${narrowed}`}${pages > 1 ? `, page ${number} of ${pages}` : ""}`);
}

function listed(page, here, found) {
  return element(
    "div.columns.catalog",
    element("div.main-column", found.documents.length > 0 && rows(page, here, found.documents), pageLinks(here, found)),
    facetList(found.facets, here),
  );
}

function rows(page, here, documents) {
  return element(
    "ul.documents",
    documents.map((d) =>
      element(
        "li",
        element(
          "div",
          { dir: "auto" },
          element("a", { href: address("document", { index: page.index.name, id: d.id }) }, d.title || d.id),
          d.title && d.title !== d.id && [" ", element("code", d.id)],
        ),
        metadataLine(d.metadata, d.id),
        d.passage && element("p.snippet", { dir: "auto" }, snippet(d.passage.text, here.values.search)),
      ),
    ),
  );
}

/** Links to nearby pages, the first and the last. */
function pageLinks(here, { page: number, pages }) {
  if (pages < 2) return null;
  const shown = [...Array(pages).keys()].map((i) => i + 1).filter((n) => n === 1 || n === pages || Math.abs(n - number) <= NEAR);
  const link = (n, text = n) => element("a.button", { href: withValues(here, { page: n === 1 ? "" : n }) }, text);
  return element(
    "nav.buttons.pages",
    { "aria-label": "Pages" },
    number > 1 && link(number - 1, "Previous"),
    shown.map((n, i) => [
      i > 0 && n > shown[i - 1] + 1 && element("span.soft", "…"),
      n === number ? element("b", { "aria-current": "page" }, n) : link(n),
    ]),
    number < pages && link(number + 1, "Next"),
  );
}

/** The size of the index, with more statistics on demand. */
function statistics(page) {
  const { index } = page;
  const place = element("div");
  const details = element(
    "details.statistics",
    { on: { toggle: () => details.open && statisticsInto(place, page) } },
    element("summary", `${pluralize(index.documents, "document")} in ${pluralize(index.passages, "passage")}`),
    place,
  );
  return details;
}

async function statisticsInto(place, page) {
  await withRetry(place, async () => {
    const counts = await get(at(page.index.name, "stats"), page.signal);
    const rows = {
      "passages per document": counts.documents && (counts.passages / counts.documents).toFixed(1),
      "document names and aliases": counts.names.toLocaleString("en"),
      "mentions in passages": counts.mentions.toLocaleString("en"),
      vectors: counts.embedder ? `${counts.vectors.toLocaleString("en")} by ${counts.embedder}` : "none",
      "on disk": `${(counts.bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`,
      ...Object.fromEntries(Object.entries(counts.fields).map(([f, n]) => [`with ${f}`, pluralize(n, "document")])),
    };
    fill(place, facts(Object.entries(rows)));
  });
}
