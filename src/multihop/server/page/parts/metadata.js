// The metadata of a document or passage, on one line.

import { element } from "../dom.js";

/** Metadata on one line: "country Norway  year 1892"; a URL becomes a link that shows its host. */
export function metadataLine(metadata) {
  const fields = Object.entries(metadata ?? {}).filter(([, value]) => String(value).trim() !== "");
  if (!fields.length) return null;
  return element(
    "p.metadata",
    fields.map(([field, value]) => element("span", element("span.soft", field), " ", [value].flat().map(shownValue))),
  );
}

function shownValue(value, i) {
  const text = `${i > 0 ? ", " : ""}${value}`;
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return text;
  return element("a", { href: value, title: value, target: "_blank", rel: "noopener noreferrer" }, new URL(value).host);
}
