// Draws the hop graph as SVG; its nodes are links, usable by mouse, keyboard and screen reader.

import { pluralize, element, fill, fitting, list, shape } from "../dom.js";
import { graphOf, withNeighbors } from "./graph-model.js";
import { canvas, resizable, tip } from "./graph-canvas.js";
import { outline } from "./graph-layout.js";
import { down, showNear } from "./graph-lines.js";
import { numbersOf } from "./order.js";

const DRAWN = ["chain", "link"];
const LISTED = 4;
const EXPANDER = 24;

/**
 * The graph of a result, redrawn when its size changes and when `learn` provides links and titles of its passages.
 * `drawn` are the links of the chain that the page shows; `neighborsOf(id)` resolves to the neighborhood of a passage,
 * {passages, edges}.
 */
export function hopGraph(result, drawn, labelOf, hrefOf, neighborsOf) {
  let known = { links: [], passages: [] };
  const hint = `A passage is below the one that leads to it${drawn.length ? "; the chain is blue" : ""}. ${HINT}`;
  const around = new Map();
  const numbers = numbersOf(result, result.chain);
  const about = element("p.link-note.soft");
  const words = element("details.joins");
  let all = false;
  const order = ({ id }) => numbers.get(id) ?? numbers.size + 1;
  const whole = () => {
    const { nodes, edges } = withNeighbors(graphOf(result, known.links, labelOf, known.passages, drawn), around);
    return { nodes: nodes.toSorted((a, b) => order(a) - order(b)), edges };
  };
  const current = () => (all ? whole() : usedOf(whole()));
  const more = element("button.quiet", { type: "button", on: { click: () => ((all = !all), tell(), draw()) } });
  const { place, draw } = resizable((width) => {
    const graph = current();
    return showNear(picture(graph, width, hrefOf, { around, expand, numbers }), (id) => fill(about, id ? saidOf(id, graph.edges) : hint));
  });
  async function expand(id) {
    if (around.has(id)) around.delete(id);
    else
      try {
        around.set(id, await neighborsOf(id));
      } catch (error) {
        if (error.name !== "AbortError") fill(about, `Its connections could not be loaded: ${error.message}`);
        return;
      }
    tell();
    draw();
    // The pressed button was redrawn; restore the focus.
    place.querySelector(`[data-around="${CSS.escape(id)}"]`)?.focus();
  }
  const tell = () => {
    const unused = whole().nodes.length - usedOf(whole()).nodes.length;
    more.hidden = unused === 0;
    fill(more, all ? "Show only the evidence" : `Show ${unused} more, considered but not used`);
    const drawn = current().edges.filter((e) => DRAWN.includes(e.kind));
    words.hidden = !drawn.length;
    fill(words, element("summary", `Links as a list: ${drawn.length}`), list("ul", drawn.map((e) => e.said)));
  };
  fill(about, hint);
  tell();
  return {
    place: element("div", place, more, about, words),
    learn: (more) => ((known = more), tell(), draw()),
  };
}

const HINT = "Hover over a passage to see its links; its + adds its other connections.";

/** The links of one passage, as text. */
function saidOf(id, edges) {
  const said = edges.filter((e) => (e.from === id || e.to === id) && e.said).map((e) => e.said);
  const more = said.length > LISTED ? ` And ${said.length - LISTED} more.` : "";
  return said.length ? `${said.slice(0, LISTED).join("; ")}.${more}` : "It has no links to other passages here.";
}

/** The graph without the passages that were considered and not used, unless they lead to one that is shown. */
export function usedOf({ nodes, edges }) {
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const kept = new Set();
  for (const node of nodes.filter((n) => n.rank || n.neighbor))
    for (let at = node; at && !kept.has(at.id); at = byId.get(at.parent)) kept.add(at.id);
  return {
    nodes: nodes.filter((n) => kept.has(n.id)),
    edges: edges.filter((e) => kept.has(e.to) && (e.from === "" || kept.has(e.from))),
  };
}

function picture(graph, width, hrefOf, { around, expand, numbers }) {
  const chained = new Set(graph.edges.filter((e) => e.kind === "chain").flatMap((e) => [e.from, e.to]));
  const where = outline(graph, width);
  const byId = new Map(graph.nodes.map((n) => [n.id, n]));
  return canvas(
    where,
    summary(graph),
    shape("defs", ["chain", "link", "also"].map((kind) => tip(`tip-${kind}`, `tip-${kind}`, 8))),
    shape(
      "g",
      { "aria-hidden": "true" },
      // The chain is drawn last, on top.
      graph.edges.toSorted((a, b) => (a.kind === "chain") - (b.kind === "chain")).map((e) => line(e, where, byId)),
    ),
    start(where.start),
    graph.nodes.map((n) => [
      nodeShape(n, where.places[n.id], hrefOf, chained, numbers.get(n.id)),
      n.known !== false && expander(n, where.places[n.id], around.has(n.id), () => expand(n.id)),
    ]),
  );
}

function summary(graph) {
  const left = graph.nodes.filter((n) => n.left).length;
  const kept = pluralize(graph.nodes.length - left, "passage");
  return `Hop graph: ${kept} in the evidence, ${left} not in it. Each is a link that opens it.`;
}

function start({ x, y }) {
  return shape(
    "g",
    shape("circle.start", { cx: x, cy: y, r: 12 }),
    shape("text.start-mark", { x, y: y + 5 }, "?"),
    shape("title", "the question"),
  );
}

function nodeShape(node, { x, y, w, h }, hrefOf, chained, number = 0) {
  const indent = number ? (number > 9 ? 34 : 28) : 10;
  const label = fitting(node.label, w - indent - EXPANDER - 2, "13px");
  return shape(
    "a",
    {
      href: hrefOf(node),
      class: `node${chained.has(node.id) ? " in-chain" : ""}${node.left ? " left" : ""}${node.ghost ? " ghost" : ""}`,
      "data-id": node.id,
    },
    // The accessible name, which begins with the visible label.
    shape("title", [number || "", label === node.label ? "" : label, spoken(node)].filter(Boolean).join(" ")),
    shape("rect", { x, y, width: w, height: h, rx: 6 }),
    number > 0 && shape("text.number", { x: x + 10, y: y + 18.5 }, number),
    shape("text.label", { x: x + indent, y: y + 18.5 }, label),
  );
}

/** The button of a node that shows or hides its connections. */
function expander(node, { x, y, w, h }, open, toggle) {
  const press = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    toggle();
  };
  return shape(
    "g.expander",
    { role: "button", tabindex: 0, "aria-expanded": String(open), "aria-label": `Connections of ${node.label}`, "data-around": node.id, on: { click: press, keydown: press } },
    shape("rect", { x: x + w - EXPANDER, y, width: EXPANDER, height: h, rx: 6 }),
    shape("text", { x: x + w - EXPANDER / 2, y: y + 19, "text-anchor": "middle" }, open ? "−" : "+"),
  );
}

function spoken(node) {
  if (node.neighbor) return `${node.label}: connected to a passage, not found for this question`;
  if (node.ghost) return `${node.label}: led to a passage, not in the evidence`;
  const fate = node.left ? `dropped in hop ${node.left}` : `rank ${node.rank}, ${node.reason}`;
  return `${node.label}: added in hop ${node.hop}, ${fate}`;
}

function line(edge, where, byId) {
  const to = where.places[edge.to];
  const from = edge.from === "" ? null : where.places[edge.from];
  if (!to || (edge.from !== "" && !from)) return null;
  const path = down(from, to, where.start);
  const gone = byId.get(edge.to).left ? " faded" : "";
  const pointed = edge.kind !== "found" && edge.kind !== "replaced" && !edge.undirected;
  return shape(
    "path",
    {
      class: `edge ${edge.kind}${gone}`,
      d: path,
      "marker-end": pointed && `url(#tip-${edge.kind})`,
      "data-from": edge.from,
      "data-to": edge.to,
    },
    edge.said && shape("title", edge.said),
  );
}
