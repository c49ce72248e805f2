// Layout of a graph: columns if there is space, else an indented outline.

const ROW = 38;
const TALL = 28;
const HEAD = 26;
const GAP = 46;
const NARROW_GAP = 28;
const START = 34;
const NARROWEST = 112;
const EDGE = 26;

/**
 * Position every node: {width, height, start: {x, y}, heads: [{hop, x, y}], places: {id: {x, y, w, h}}, wide}.
 * Without a `question` no space is reserved for the start mark.
 */
export function layout(graph, width, question = true) {
  const hops = [...new Set(graph.nodes.map((n) => n.hop))].sort((a, b) => a - b);
  const gap = hops.length > 2 && width < 900 ? NARROW_GAP : GAP;
  const lead = question ? START + gap : 1;
  const column = (width - lead - EDGE - gap * (hops.length - 1)) / Math.max(1, hops.length);
  return column >= NARROWEST
    ? columns(graph, hops, Math.min(column, 300), gap, width, lead)
    : outline(graph, width, question);
}

function columns(graph, hops, column, gap, width, lead) {
  const places = {};
  const heads = [];
  const tallest = Math.max(...hops.map((h) => graph.nodes.filter((n) => n.hop === h).length), 1);
  hops.forEach((hop, i) => {
    const x = lead + (gap + column) * i;
    heads.push({ hop, x, y: 14 });
    const inHop = ordered(graph, hop, places);
    const top = HEAD + ((tallest - inHop.length) * ROW) / (i === 0 ? 2 : 4);
    inHop.forEach((node, row) => (places[node.id] = { x, y: top + row * ROW, w: column, h: TALL }));
  });
  const height = HEAD + tallest * ROW;
  return { width, height, start: { x: START / 2 + 2, y: HEAD + (tallest * ROW) / 2 - 5 }, heads, places, wide: true };
}

/** Align children with their parents, so that few lines cross. */
function ordered(graph, hop, places) {
  const level = (node) => places[node.parent]?.y ?? (node.rank ? 1e5 : 1e6);
  return graph.nodes
    .filter((n) => n.hop === hop)
    .sort((a, b) => level(a) - level(b) || (a.rank || 1e6) - (b.rank || 1e6));
}

/** The same as an indented outline: a passage below the one that leads to it. */
export function outline(graph, width, question = true) {
  const places = {};
  const depth = Math.max(1, ...graph.nodes.map((n) => n.hop));
  // Labels keep most of the width, however deep the outline is.
  const step = Math.min(26, 90 / depth);
  let y = question ? 34 : 4;
  const put = (node, level) => {
    const x = (question ? 22 : 1) + level * step;
    places[node.id] = { x, y, w: width - x - 1, h: TALL };
    y += ROW;
    for (const child of graph.nodes) if (child.parent === node.id) put(child, level + 1);
  };
  for (const node of graph.nodes) if (!node.parent) put(node, 0);
  return { width, height: y, start: { x: 10, y: 14 }, heads: [], places, wide: false };
}
