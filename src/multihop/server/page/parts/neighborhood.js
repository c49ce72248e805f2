// Draws what lies around a passage or a document: nodes are links, lines are colored by kind, a list says it all.

import { at, get } from "../api.js";
import { counted, element, fill, fitting, shape } from "../dom.js";
import { canvas, fitted } from "./graph-canvas.js";
import { layout } from "./graph-layout.js";
import { across, down, showNear } from "./graph-lines.js";
import { joinsOf, kindsOf, neighborhoodOf } from "./neighborhood-model.js";
import { failed } from "./problem.js";

const STEPS = [1, 2, 3];
const TOLD = 4;

/** The section on what lies around `id`; it fetches what it shows, and again when another number of steps is chosen. */
export function neighborhoodPart(page, id) {
  const place = element("div", {}, element("p", { class: "soft" }, "Loading…"));
  const buttons = STEPS.map((steps) =>
    element("button", { type: "button", on: { click: () => look(steps) } }, counted(steps, "step")),
  );
  async function look(steps) {
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", STEPS[i] === steps));
    try {
      const path = `${at(page.index.name, "neighborhood", id)}?steps=${steps}`;
      fill(place, shown(await get(path, page.signal), page.passageHref));
    } catch (error) {
      failed(place, error, () => look(steps));
    }
  }
  look(1);
  return element(
    "section",
    { class: "around", "aria-labelledby": "around-title" },
    element(
      "div",
      { class: "summary" },
      element("h2", { id: "around-title" }, "What lies around it"),
      element("p", { class: "buttons", role: "group", "aria-label": "How far to look" }, buttons),
    ),
    place,
  );
}

function shown(found, hrefOf) {
  const graph = neighborhoodOf(found);
  if (!graph.joins.length)
    return element("p", { class: "soft" }, "Nothing: it names no other document, and no other passage names it.");
  const told = element("p", { class: "legend told", "aria-hidden": "true" });
  const tell = (id) => fill(told, id ? saidOf(id, graph.joins) : legend(graph.joins));
  tell("");
  return [
    picture(graph, hrefOf, tell),
    told,
    found.left_out > 0 && element("p", { class: "legend" }, `${counted(found.left_out, "passage")} more left out.`),
    list(graph.joins),
  ];
}

function picture(graph, hrefOf, tell) {
  return fitted((width) => showNear(drawing(graph, width, hrefOf), tell)).place;
}

function drawing(graph, width, hrefOf) {
  const where = layout(graph, width, false);
  return canvas(
    where,
    summary(graph),
    shape(
      "defs",
      {},
      kindsOf(graph.joins).map(([kind]) => arrow(kind)),
    ),
    where.heads.map((h) => shape("text", { class: "head", x: h.x, y: h.y }, headOf(h.hop))),
    shape(
      "g",
      { "aria-hidden": "true" },
      graph.joins.map((j) => line(j, where)),
    ),
    graph.nodes.map((n) => nodeShape(n, where.places[n.id], graph.joins, hrefOf)),
  );
}

function summary({ nodes, joins }) {
  const size = `${counted(nodes.length, "passage")}, ${counted(joins.length, "link")} between them`;
  return `${size}. Each passage is a link that opens it; the list below says what joins them.`;
}

const headOf = (hop) => (hop === 0 ? "here" : counted(hop, "step"));

function arrow(kind) {
  return shape(
    "marker",
    {
      id: `arrow-${kind}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto",
      markerUnits: "userSpaceOnUse",
    },
    shape("path", { d: "M0 0L8 4L0 8z", class: `tip k-${kind}` }),
  );
}

function line(join, where) {
  const [from, to] = [join.source, join.target].map((id) => moved(where.places[id], join.shift));
  // An outline has room for the lines that it is made of, whichever way they point.
  if (!where.wide && !join.reached) return null;
  const [upper, lower] = from.y < to.y ? [from, to] : [to, from];
  return shape("path", {
    class: `edge join k-${join.kind}`,
    d: where.wide ? across(from, to) : down(upper, lower),
    "marker-end": where.wide && `url(#arrow-${join.kind})`,
    "data-from": join.source,
    "data-to": join.target,
  });
}

const moved = (place, shift) => ({ ...place, y: place.y + shift });

function nodeShape(node, { x, y, w, h }, joins, hrefOf) {
  const said = joinsOf(node.id, joins).map((j) => j.said);
  return shape(
    "a",
    {
      href: hrefOf(node.id),
      class: `node h${node.hop}${node.hop ? "" : " here"}`,
      "data-id": node.id,
      "aria-label": `${node.label}: ${said.slice(0, TOLD).join("; ")}`,
    },
    shape("title", {}, `${node.label}: ${node.opening}`),
    shape("rect", { x, y, width: w, height: h, rx: 6 }),
    shape("text", { class: "label", x: x + 10, y: y + 18.5 }, fitting(node.label, w - 18, "12.5px")),
  );
}

function saidOf(id, joins) {
  const all = joinsOf(id, joins);
  const more = all.length > TOLD ? ` and ${all.length - TOLD} more` : "";
  return `${all
    .slice(0, TOLD)
    .map((j) => j.said)
    .join("; ")}${more}.`;
}

function legend(joins) {
  return [
    kindsOf(joins).map(([kind, verb]) => element("span", { class: `kind k-${kind}` }, verb)),
    " Point at a passage to see how it is joined; click it to read it.",
  ];
}

function list(joins) {
  return element(
    "details",
    { class: "joins" },
    element("summary", {}, `As a list: ${counted(joins.length, "link")}`),
    element(
      "ul",
      {},
      joins.map((j) => element("li", {}, j.said)),
    ),
  );
}
