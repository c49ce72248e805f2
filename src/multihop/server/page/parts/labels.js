// Labels of passages: the title, with the position if several passages share it.

/** Passage id → label, for passages given as {id, document_id, title}. */
export function labelsOf(passages) {
  const names = new Map(passages.map((p) => [p.id, p.title || p.document_id]));
  const shared = new Map();
  for (const name of names.values()) shared.set(name, (shared.get(name) ?? 0) + 1);
  return new Map([...names].map(([id, name]) => [id, shared.get(name) > 1 ? `${placeOf(id)} ${name}` : name]));
}

/** The position of a passage in its document, from its id: "#3". */
export function placeOf(id) {
  return id.slice(id.lastIndexOf("#"));
}

/** The document of a passage, from its id. */
export function documentOf(id) {
  return id.replace(/#\d+$/, "");
}
