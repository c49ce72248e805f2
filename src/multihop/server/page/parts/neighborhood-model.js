// Data of a neighborhood picture: passages by distance, and the connections between them.

import { cut } from "../dom.js";
import { labelsOf, placeOf } from "./labels.js";

/** Verb for each kind of connection. */
export const VERBS = {
  MENTIONS: "names",
  SUPPORTS: "supports",
  EXPLAINS: "explains",
  CONTRADICTS: "contradicts",
  FOLLOWS: "follows",
  TEMPORAL_FOLLOWS: "comes later than",
  CAUSES: "causes",
};

/** Nodes with labels and parents, and the connections with their text. */
export function neighborhoodOf({ passages, edges }) {
  const labels = labelsOf(passages);
  const own = passages.filter((p) => p.document_id === passages[0]?.document_id);
  // Passages of the current document are labeled by their text instead of the shared title.
  const labelOf = (p) =>
    own.length > 1 && own.includes(p) ? `${placeOf(p.id)} ${p.heading || p.opening}` : labels.get(p.id);
  const nodes = passages.map((p) => ({ id: p.id, hop: p.distance, rank: 0, label: labelOf(p), opening: p.opening, parent: p.via }));
  const names = new Map(nodes.map((n) => [n.id, cut(n.label, 50)]));
  const via = new Map(passages.map((p) => [p.id, p.via]));
  return {
    nodes,
    // Draw relations on top of the more numerous mentions.
    joins: edges
      .map((e) => ({ ...e, reached: reachedBy(e, via) }))
      .map((e) => ({ ...e, shift: shiftOf(e, edges), said: sentence(e, names) }))
      .sort((a, b) => (a.kind !== "MENTIONS") - (b.kind !== "MENTIONS")),
  };
}

/** The kinds of connections present, in a fixed order, each with its verb. */
export function kindsOf(joins) {
  return Object.entries(VERBS).filter(([kind]) => joins.some((j) => j.kind === kind));
}

/** The connections of one passage: first those that lead to it, then by confidence. */
export function joinsOf(id, joins) {
  return joins
    .filter((j) => j.source === id || j.target === id)
    .sort((a, b) => (b.reached === id) - (a.reached === id) || b.confidence - a.confidence);
}

/** The end of a connection that traversal reached through it, or "" if it was reached another way. */
function reachedBy({ source, target }, via) {
  if (via.get(target) === source) return target;
  return via.get(source) === target ? source : "";
}

/** Offset of a line from those of other kinds between the same two passages. */
function shiftOf(edge, edges) {
  const pair = (e) => [e.source, e.target].sort().join("\n");
  const kinds = [...new Set(edges.filter((e) => pair(e) === pair(edge)).map((e) => e.kind))].sort();
  return (kinds.indexOf(edge.kind) - (kinds.length - 1) / 2) * 8;
}

function sentence({ source, target, kind, confidence, evidence }, names) {
  const said = `${names.get(source)} ${VERBS[kind] ?? kind.toLowerCase()} ${names.get(target)}`;
  return kind === "MENTIONS" ? said : `${said} (${confidence.toFixed(2)}${evidence && `: ${evidence}`})`;
}
