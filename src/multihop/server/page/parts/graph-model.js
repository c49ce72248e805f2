// Data of the hop graph: the passages of each hop, and every link in the chain or in a reason.

import { cut } from "../dom.js";
import { cameIn } from "./hops.js";
import { documentOf } from "./labels.js";
import { VERBS } from "./neighborhood-model.js";

const MOST = 60;
const SENTENCE = 160;
// Channels that lead from one passage to another, and the text for the line between them; relations are by kind.
const LEADING = { link: "names", "follow-up": "mentions something in" };

/**
 * Nodes in reading order, each with its `parent`, and the lines between them. `links` are [{source, target, name}] from
 * passage to document; `met` are passages with titles that may have led to others. `drawn` are the links of the chain
 * that the page shows; the others are ordinary lines.
 */
export function graphOf(result, links, labelOf, met = [], drawn = result.chain?.links ?? []) {
  const nodes = trimmed([...nodesOf(result, labelOf).values()]);
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const chain = chainEdges(result.chain?.links ?? [], drawn).filter((e) => byId.has(e.from) && byId.has(e.to));
  const named = nodes.flatMap((to) => sourcesOf(to).map((source) => reasonEdge(to, source, byId, labelOf, met)));
  for (const { ghost } of named) if (ghost && !byId.has(ghost.id)) byId.set(ghost.id, ghost);
  const all = [...byId.values()].sort(byHop);
  placeParents(result, byId, named);
  const edges = distinct([
    ...chain,
    ...named.map(({ from, to, how }) => ({ from, to, how, kind: "link", name: nameFor(from, byId.get(to), links) })),
    ...all.flatMap((to) => linksInto(to, byId, links, result)),
  ]);
  const found = all.filter((n) => !n.parent && !n.ghost).map((n) => ({ from: "", to: n.id, kind: "found", name: "" }));
  const lines = [...edges, ...found, ...replacements(result, byId)];
  return { nodes: all, edges: lines.map((e) => ({ ...e, said: sentenceOf(e, byId) })) };
}

/**
 * The graph with the neighbors of some nodes in an extra column after the last hop. `around` maps the id of a node to its
 * neighborhood, {passages, edges}.
 */
export function withNeighbors({ nodes, edges }, around) {
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const last = Math.max(0, ...nodes.map((n) => n.hop)) + 1;
  const joins = [];
  for (const [id, { passages, edges: found }] of around) {
    if (!byId.has(id)) continue;
    for (const p of passages)
      if (!byId.has(p.id))
        byId.set(p.id, { ...node(p.id, last, undefined, () => p.title || p.document_id), left: last, ghost: true, known: true, neighbor: true, parent: id });
    const own = found.filter(({ source, target }) => source === id || target === id);
    joins.push(...own.map(({ source, target, kind }) => ({ from: source, to: target, kind: "link", how: VERBS[kind] ?? "names", name: "" })));
  }
  const shown = new Set(edges.filter((e) => e.kind !== "also").map(pairOf));
  const added = distinct(joins.filter((e) => !shown.has(pairOf(e))));
  const replaced = new Set(added.map(pairOf));
  return {
    nodes: [...byId.values()],
    edges: [...edges.filter((e) => !(e.kind === "also" && replaced.has(pairOf(e)))), ...added.map((e) => ({ ...e, said: sentenceOf(e, byId) }))],
  };
}

/** The passages in the trace, to request from the server. */
export function passagesOf(result) {
  const moved = result.trace.hops.flatMap((h) => [...h.entered, ...h.left, ...h.replaced.flatMap((r) => [r.out, r.into])]);
  const hits = result.trace.hops.flatMap((h) => h.found.flatMap((f) => f.top));
  const met = hits.flatMap((hit) => [hit.passage_id, hit.via]).filter((id) => id.includes("#"));
  return [...new Set([...result.evidence.map((e) => e.passage.id), ...moved, ...met])].slice(0, 300);
}

/** The passages that led to a node by one of its reasons, {via, how}. */
export function sourcesOf({ because = [] }) {
  const how = (channel) => LEADING[channel] ?? (channel in VERBS ? "is related to" : undefined);
  return because.filter((r) => r.via && how(r.channel)).map((r) => ({ via: r.via, how: how(r.channel) }));
}

function nodesOf(result, labelOf) {
  const evidence = new Map(result.evidence.map((e) => [e.passage.id, e]));
  const hops = cameIn(result);
  const nodes = new Map();
  for (const hop of result.trace.hops) {
    for (const id of [...hop.entered, ...hop.replaced.map((r) => r.out)]) {
      if (!nodes.has(id) && (evidence.has(id) || nodes.size < MOST))
        nodes.set(id, node(id, evidence.has(id) ? hops.get(id) : hop.number, evidence.get(id), labelOf));
    }
    for (const id of hop.left) if (nodes.has(id) && !evidence.has(id)) nodes.get(id).left = hop.number;
  }
  for (const each of nodes.values()) if (each.rank === 0 && !each.left) each.left = each.hop;
  return nodes;
}

function node(id, hop, evidence, labelOf) {
  const { rank = 0, reason = "", because = [] } = evidence ?? {};
  return { id, document: documentOf(id), label: labelOf(id), hop, rank, left: 0, reason, because, parent: "" };
}

function trimmed(nodes) {
  return [...nodes.filter((n) => n.rank).slice(0, MOST), ...nodes.filter((n) => !n.rank)].slice(0, MOST);
}

function byHop(a, b) {
  return a.hop - b.hop || (a.rank || 1e6) - (b.rank || 1e6);
}

/** The links of the chain between passages, in the direction of the mention. */
function chainEdges(links, drawn) {
  return links.filter((l) => l.source).map((link) => {
    const { source, target, kind, name, quote } = link;
    const [from, to] = kind === "mentioned by" ? [target, source] : [source, target];
    const how = kind === "shares" ? "shares a name with" : "names";
    return { from, to, kind: drawn.includes(link) ? "chain" : "link", name, how, quote: quote.text, undirected: kind === "shares" };
  });
}

/** The line to a node from the passage that led to it; a passage that is not a node becomes a ghost. */
function reasonEdge(to, { via, how }, byId, labelOf, met) {
  if (byId.has(via)) return { from: via, to: to.id, how };
  const passage = met.find((p) => p.id === via);
  const hop = Math.max(1, to.hop - 1);
  const label = passage ? passage.title || passage.document_id : labelOf(via);
  const ghost = { ...node(via, hop, undefined, () => label), left: hop, ghost: true, known: Boolean(passage) };
  return { from: via, to: to.id, how, ghost };
}

/** Set the parent of each node by the chain or by its reason, without cycles. */
function placeParents(result, byId, named) {
  const inChain = new Set();
  for (const link of result.chain?.links ?? []) {
    inChain.add(link.target);
    if (byId.has(link.target) && byId.has(link.source)) byId.get(link.target).parent = link.source;
  }
  const above = (id, other) => {
    for (let at = id; at; at = byId.get(at)?.parent) if (at === other) return true;
    return false;
  };
  for (const { from, to } of named) {
    const child = byId.get(to);
    const fits = byId.get(from).hop <= child.hop && !above(from, to);
    if (!inChain.has(to) && !child.parent && fits) child.parent = from;
  }
}

function nameFor(from, { document }, links) {
  return links.find((l) => l.source === from && l.target === document)?.name ?? "";
}

function linksInto(to, byId, links, result) {
  const listed = links.filter((l) => l.target === to.document && l.source !== to.id && byId.has(l.source));
  const hits = result.trace.hops.flatMap((h) => h.found.flatMap((f) => f.top));
  const ways = hits.filter((h) => h.passage_id === to.id && h.via !== to.id && byId.has(h.via));
  return [
    ...listed.map((l) => ({ from: l.source, to: to.id, kind: "also", how: "names", name: l.name })),
    ...ways.map((h) => ({ from: h.via, to: to.id, kind: "also", how: "led to", name: "" })),
  ];
}

/** One line per pair and direction; the chain takes precedence over reasons, and reasons over the rest. */
function distinct(edges) {
  const found = new Map();
  for (const edge of edges) if (!found.has(pairOf(edge))) found.set(pairOf(edge), edge);
  return [...found.values()];
}

function pairOf({ from, to }) {
  return `${from}\n${to}`;
}

function replacements(result, byId) {
  return result.trace.hops
    .flatMap((hop) => hop.replaced)
    .filter(({ out, into }) => byId.has(out) && byId.has(into))
    .map(({ out, into, reason }) => ({ from: out, to: into, kind: "replaced", how: "gave way to", name: "", quote: reason }));
}

function sentenceOf({ from, to, how, name, quote }, byId) {
  if (!from) return "";
  const ends = `${byId.get(from).label} ${how} ${byId.get(to).label}`;
  if (quote) return `${ends}: “${cut(quote.replace(/\s+/g, " "), SENTENCE)}”`;
  return name && name.toLowerCase() !== byId.get(to).label.toLowerCase() ? `${ends}, as “${name}”` : ends;
}
