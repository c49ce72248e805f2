// Facets: values of the listed documents, each a link that adds or removes a filter.

import { withValues } from "../address.js";
import { pluralize, element } from "../dom.js";
import { valueText } from "./metadata.js";

/** Fields with these characters cannot be written as a condition. */
const UNWRITABLE = /[<>=;|!~]/;
/** Paths and times of files, which hardly any two share. */
const OF_FILES = ["file.path", "file.modified"];

/** Whether a field is worth filtering by. */
export const offered = ({ field }) => !UNWRITABLE.test(field) && !OF_FILES.includes(field);

/** The facets of a list, and the active conditions with links to remove them. */
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
    facets.filter(offered).map((facet) => facetPart(facet, here, chosen)),
  );
}

function facetPart({ field, values, others }, here, chosen) {
  const item = ({ value, documents }) => {
    const condition = conditionFor(field, value);
    const on = chosen.includes(condition);
    const href = on ? without(here, chosen, condition) : kept(here, [...chosen, condition]);
    return element("li", element("a", { href, "aria-current": on ? "true" : undefined, dir: "auto" }, valueText(value)), " ", element("small", documents.toLocaleString("en")));
  };
  return element(
    "details",
    { open: true },
    element("summary", field),
    element("ul.plain", values.map(item), others > 0 && element("li", element("small", pluralize(others, "other value")))),
  );
}

/** A condition in filter syntax; text is quoted so that nothing in it is interpreted. */
export function conditionFor(field, value) {
  return typeof value === "string" ? `${field}="${value.replace(/[\\"]/g, "\\$&")}"` : `${field}=${value}`;
}

/** Split a filter at semicolons outside quotes. */
export function conditionsOf(where) {
  const found = where.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^;"\\])+/gs) ?? [];
  return found.map((condition) => condition.trim()).filter(Boolean);
}

function without(here, chosen, condition) {
  return kept(here, chosen.filter((c) => c !== condition));
}

function kept(here, conditions) {
  return withValues(here, { where: conditions.join("; "), page: "" });
}
