// Facets: the values that the listed documents have, each a link that keeps to the documents with it, or lets it go.

import { changed } from "../address.js";
import { counted, element } from "../dom.js";

// A field of such a name cannot be written as a condition.
const UNWRITABLE = /[<>=;|!~]/;

/** The facets of a list, and the conditions that hold now, each of which can be let go. */
export function facetList(facets, here) {
  const chosen = conditionsOf(here.values.where ?? "");
  if (!facets.length && !chosen.length) return null;
  return element(
    "aside.side-column.facets",
    { "aria-label": "Values" },
    chosen.length > 0 &&
      element(
        "ul.chosen",
        chosen.map((c) => element("li", element("a.button", { href: without(here, chosen, c), "aria-label": `Without ${c}` }, `${c} ×`))),
      ),
    facets.filter(({ field }) => !UNWRITABLE.test(field)).map((facet) => facetPart(facet, here, chosen)),
  );
}

function facetPart({ field, values, others }, here, chosen) {
  const item = ({ value, documents }) => {
    const condition = conditionFor(field, value);
    const on = chosen.includes(condition);
    const href = on ? without(here, chosen, condition) : kept(here, [...chosen, condition]);
    return element("li", element("a", { href, "aria-current": on ? "true" : undefined, dir: "auto" }, String(value)), " ", element("small", documents.toLocaleString("en")));
  };
  return element(
    "details",
    { open: true },
    element("summary", field),
    element("ul.plain", values.map(item), others > 0 && element("li", element("small", counted(others, "other value")))),
  );
}

/** A condition as the field of a filter takes it; texts are quoted, so that nothing in them means anything. */
export function conditionFor(field, value) {
  return typeof value === "string" ? `${field}="${value.replace(/[\\"]/g, "\\$&")}"` : `${field}=${value}`;
}

/** The conditions of a filter, taken apart at the semicolons that stand in no quotes. */
export function conditionsOf(where) {
  const found = where.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^;"\\])+/gs) ?? [];
  return found.map((condition) => condition.trim()).filter(Boolean);
}

function without(here, chosen, condition) {
  return kept(here, chosen.filter((c) => c !== condition));
}

function kept(here, conditions) {
  return changed(here, { where: conditions.join("; "), page: "" });
}
