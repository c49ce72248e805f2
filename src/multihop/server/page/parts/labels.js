// Labels of passages: the title, with section and page, or the position, if several passages share it.

/** Passage id → label, for passages given as {id, document_id, title, heading, page}. */
export function labelsOf(passages) {
  const names = passages.map((p) => p.title || p.document_id);
  const places = passages.map((p, i) => `${names[i]}${p.heading ? ` › ${p.heading}` : ""}${p.page ? `, p. ${p.page}` : ""}`);
  const once = (all, i) => all.indexOf(all[i]) === all.lastIndexOf(all[i]);
  const label = ({ id }, i) => (once(names, i) ? names[i] : once(places, i) && places[i] !== names[i] ? places[i] : `${placeOf(id)} ${names[i]}`);
  return new Map(passages.map((p, i) => [p.id, label(p, i)]));
}

/** The position of a passage in its document, from its id: "#3". */
export function placeOf(id) {
  return id.slice(id.lastIndexOf("#"));
}

/** The document of a passage, from its id. */
export function documentOf(id) {
  return id.replace(/#\d+$/, "");
}
