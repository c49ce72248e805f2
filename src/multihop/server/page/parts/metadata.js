// The metadata of a document or passage, on one line.

import { element } from "../dom.js";

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * Metadata on one line: "country Norway  year 1892"; a URL becomes a link that shows its host. The file is left out if it
 * is the `id` of the document.
 */
export function metadataLine(metadata, id = "") {
  const fields = Object.entries(metadata ?? {}).filter(
    ([field, value]) => String(value).trim() !== "" && !(field === "file.path" && id.startsWith(value)),
  );
  if (!fields.length) return null;
  return element(
    "p.metadata",
    fields.map(([field, value]) => element("span", element("span.soft", field), " ", [value].flat().map(shownValue))),
  );
}

/** A value as text; of a point in time the day and the minute. */
export function valueText(value) {
  return String(value).replace(TIME, "$1 $2");
}

function shownValue(value, i) {
  const text = `${i > 0 ? ", " : ""}${valueText(value)}`;
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return text;
  return element("a", { href: value, title: value, target: "_blank", rel: "noopener noreferrer" }, new URL(value).host);
}
