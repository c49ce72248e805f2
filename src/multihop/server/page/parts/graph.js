// Draws the hop graph as SVG whose nodes are links: they can be clicked, tabbed to and read aloud.

import { fitting, shape } from "../dom.js";
import { graphOf } from "./graph-model.js";
import { canvas, fitted } from "./graph-canvas.js";
import { layout } from "./graph-layout.js";
import { across, down, showNear } from "./graph-lines.js";

/** The graph of a result, drawn anew when its room changes and when `learn` brings the links among its passages. */
export function hopGraph(result, labelOf, hrefOf) {
  let links = [];
  const { place, draw } = fitted((width) => picture(graphOf(result, links, labelOf), width, hrefOf));
  return { place, learn: (more) => ((links = more), draw()) };
}

function picture(graph, width, hrefOf) {
  const where = layout(graph, width);
  const byId = new Map(graph.nodes.map((n) => [n.id, n]));
  const svg = canvas(
    where,
    summary(graph),
    where.heads.map((h) => shape("text", { class: "head", x: h.x, y: h.y }, `hop ${h.hop}`)),
    shape(
      "g",
      { "aria-hidden": "true" },
      graph.edges.map((e) => line(e, where, byId)),
    ),
    start(where.start),
    graph.nodes.map((n) => nodeShape(n, where.places[n.id], hrefOf)),
  );
  return showNear(svg);
}

function summary(graph) {
  const left = graph.nodes.filter((n) => n.left).length;
  const kept = graph.nodes.length - left;
  return `Hop graph: ${kept} passages in the evidence, ${left} that left again. Each is a link that opens it.`;
}

function start({ x, y }) {
  return shape(
    "g",
    {},
    shape("circle", { class: "start", cx: x, cy: y, r: 12 }),
    shape("text", { class: "start-mark", x, y: y + 5 }, "?"),
    shape("title", {}, "the question"),
  );
}

function nodeShape(node, { x, y, w, h }, hrefOf) {
  const indent = node.rank ? (node.rank > 9 ? 34 : 28) : 10;
  return shape(
    "a",
    {
      href: hrefOf(node.id),
      class: `node h${node.hop % 8}${node.left ? " left" : ""}`,
      "data-id": node.id,
      "aria-label": spoken(node),
    },
    shape("title", {}, node.label),
    shape("rect", { x, y, width: w, height: h, rx: 6 }),
    node.rank > 0 && shape("text", { class: "number", x: x + 10, y: y + 18.5 }, node.rank),
    shape("text", { class: "label", x: x + indent, y: y + 18.5 }, fitting(node.label, w - indent - 8, "12.5px")),
  );
}

function spoken(node) {
  const fate = node.left ? `left in hop ${node.left}` : `rank ${node.rank}, ${node.reason}`;
  return `${node.label}: came in with hop ${node.hop}, ${fate}`;
}

function line(edge, where, byId) {
  const to = where.places[edge.to];
  const from = edge.from === "" ? null : where.places[edge.from];
  if (!to || (edge.from !== "" && !from)) return null;
  const path = where.wide ? across(from, to, where.start) : down(from, to, where.start);
  const gone = byId.get(edge.to).left ? " faded" : "";
  return shape("path", {
    class: `edge ${edge.kind} h${byId.get(edge.to).hop % 8}${gone}`,
    d: path,
    "data-from": edge.from,
    "data-to": edge.to,
  });
}
