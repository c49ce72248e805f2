// Links of a passage or document as a list, and the address of its neighborhood.

import { address } from "../address.js";
import { element, list } from "../dom.js";

/** The address of a document with the neighborhood of one of its passages. */
export function aroundHref(page, document, passage) {
  return address("document", { index: page.index.name, id: document, from: passage });
}

/** Links as a list: title of the target, and the name used. */
export function linkList(title, links, hrefOf, level = "h3") {
  const link = (l) => element("a", { href: hrefOf(l), title: l.name && `as “${l.name}”` }, l.title || l.id);
  return element(
    "section.links",
    element(level, `${title} `, element("small", links.length)),
    links.length === 0 ? element("p.soft", "none") : list("ul.inline", links.map(link)),
  );
}
