// What the hop graph shows: which passages came in with which hop, through which link, and which left again.

import { cameIn } from "./hops.js";
import { documentOf } from "./labels.js";

const MOST = 60;

/** Nodes in reading order, and their edges; `links` are [{source, target, name}], from passage to document. */
export function graphOf(result, links, labelOf) {
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
  const kept = trimmed([...nodes.values()]);
  return { nodes: kept, edges: edgesOf(result, kept, links) };
}

/** The passages that the trace speaks of: what to ask the server about. */
export function passagesOf(result) {
  const moved = result.trace.hops.flatMap((h) => [
    ...h.entered,
    ...h.left,
    ...h.replaced.flatMap((r) => [r.out, r.into]),
  ]);
  const met = result.trace.hops.flatMap((h) => h.found.flatMap((f) => f.top.map((hit) => hit.passage_id)));
  return [...new Set([...result.evidence.map((e) => e.passage.id), ...moved, ...met])].slice(0, 300);
}

function node(id, hop, evidence, labelOf) {
  const { rank = 0, reason = "" } = evidence ?? {};
  return { id, document: documentOf(id), label: labelOf(id), hop, rank, left: 0, reason };
}

function trimmed(nodes) {
  return [...nodes.filter((n) => n.rank).slice(0, MOST), ...nodes.filter((n) => !n.rank)]
    .slice(0, MOST)
    .sort((a, b) => a.hop - b.hop || (a.rank || 1e6) - (b.rank || 1e6));
}

function edgesOf(result, nodes, links) {
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const ways = nodes.flatMap((to) => linksInto(to, byId, links, result));
  const edges = [];
  for (const to of nodes) {
    const into = ways.filter((w) => w.to === to.id);
    const parent = parentOf(to, into, byId);
    edges.push(parent ? { ...parent, kind: "link" } : { from: "", to: to.id, kind: "found", name: "" });
    edges.push(...into.filter((w) => w !== parent).map((w) => ({ ...w, kind: "also" })));
  }
  for (const hop of result.trace.hops) {
    for (const { out, into, reason } of hop.replaced) {
      if (byId.has(out) && byId.has(into)) edges.push({ from: out, to: into, kind: "replaced", name: reason });
    }
  }
  return edges;
}

function linksInto(to, byId, links, result) {
  const found = new Map();
  for (const { source, target, name } of links) {
    if (target === to.document && source !== to.id && byId.has(source))
      found.set(source, { from: source, to: to.id, name });
  }
  for (const hop of result.trace.hops) {
    for (const hit of hop.found.flatMap((f) => f.top)) {
      const linked = hit.passage_id === to.id && byId.has(hit.via) && hit.via !== to.id;
      if (linked && !found.has(hit.via)) found.set(hit.via, { from: hit.via, to: to.id, name: "" });
    }
  }
  return [...found.values()];
}

/** The link that a passage came in by: from an earlier hop, or beside it when its reason says so; none in the first. */
function parentOf(to, into, byId) {
  const earlier = into.filter((w) => byId.get(w.from).hop < to.hop);
  const beside = into.filter(
    (w) =>
      to.hop > 1 && byId.get(w.from).hop === to.hop && byId.get(w.from).rank > 0 && byId.get(w.from).rank < to.rank,
  );
  return [...earlier, ...beside].find((w) => says(to, byId.get(w.from))) ?? earlier[0];
}

function says(to, from) {
  return to.reason.includes(`linked from “${from.label.replace(/^#\d+ /, "")}”`);
}
