// Links of a passage or document: as a list, and the address of the picture of what lies around it.

import { address } from "../address.js";
import { element, list } from "../dom.js";

/** The address of a document whose picture begins at one of its passages. */
export function aroundHref(page, document, passage) {
  return address("document", { index: page.index.name, id: document, from: passage });
}

/** Links as a list: the title of the other end, and the name that was used. */
export function linkList(title, links, hrefOf, level = "h3") {
  const link = (l) => element("a", { href: hrefOf(l), title: l.name && `by the name “${l.name}”` }, l.title || l.id);
  return element(
    "section.links",
    element(level, `${title} `, element("small", links.length)),
    links.length === 0 ? element("p.soft", "nothing") : list("ul.inline", links.map(link)),
  );
}
