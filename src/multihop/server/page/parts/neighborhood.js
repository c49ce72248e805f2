// Draws the connections of a passage or document: nodes are links, lines are colored by kind, with a text list.

import { at, get } from "../api.js";
import { pluralize, element, fill, fitting, list, shape } from "../dom.js";
import { canvas, resizable, tip } from "./graph-canvas.js";
import { layout } from "./graph-layout.js";
import { across, down, showNear } from "./graph-lines.js";
import { joinsOf, kindsOf, neighborhoodOf } from "./neighborhood-model.js";
import { withRetry } from "./problem.js";

const STEPS = [1, 2, 3];
const LISTED = 4;

/** The section with the connections of `id`; fetches its data, and again when the number of steps changes. */
export function neighborhoodPart(page, id) {
  const place = element("div", element("p.soft", "Loading…"));
  const buttons = STEPS.map((steps) =>
    element("button", { type: "button", on: { click: () => look(steps) } }, pluralize(steps, "step")),
  );
  async function look(steps) {
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", STEPS[i] === steps));
    await withRetry(place, async () => {
      const path = `${at(page.index.name, "neighborhood", id)}?steps=${steps}`;
      fill(place, shown(await get(path, page.signal), page.passageHref));
    });
  }
  look(1);
  return element(
    "section.around",
    { "aria-labelledby": "around-title" },
    element(
      "div.summary",
      element("h2", { id: "around-title" }, "Connections"),
      element("p.buttons", { role: "group", "aria-label": "Traversal depth" }, buttons),
    ),
    place,
  );
}

function shown(found, hrefOf) {
  const graph = neighborhoodOf(found);
  if (!graph.joins.length)
    return element("p.soft", "None: it mentions no other document, and no other passage mentions it.");
  const about = element("p.legend.link-note", { "aria-hidden": "true" });
  const tell = (id) => fill(about, id ? saidOf(id, graph.joins) : legend(graph.joins));
  tell("");
  return [
    resizable((width) => showNear(drawing(graph, width, hrefOf), tell)).place,
    about,
    found.left_out > 0 && element("p.legend", `${pluralize(found.left_out, "more passage")} not shown.`),
    element(
      "details.joins",
      element("summary", `As a list: ${pluralize(graph.joins.length, "link")}`),
      list("ul", graph.joins.map((j) => j.said)),
    ),
  ];
}

function drawing(graph, width, hrefOf) {
  const where = layout(graph, width, false);
  return canvas(
    where,
    summary(graph),
    shape("defs", kindsOf(graph.joins).map(([kind]) => tip(`arrow-${kind}`, `k-${kind}`, 7))),
    where.heads.map((h) => shape("text.head", { x: h.x, y: h.y }, headOf(h.hop))),
    shape("g", { "aria-hidden": "true" }, graph.joins.map((j) => line(j, where))),
    graph.nodes.map((n) => nodeShape(n, where.places[n.id], graph.joins, hrefOf)),
  );
}

function summary({ nodes, joins }) {
  const size = `${pluralize(nodes.length, "passage")}, ${pluralize(joins.length, "link")} between them`;
  return `${size}. Each passage is a link that opens it; the list below names the connections.`;
}

const headOf = (hop) => (hop === 0 ? "here" : pluralize(hop, "step"));

function line(join, where) {
  const [from, to] = [join.source, join.target].map((id) => moved(where.places[id], join.shift));
  // An outline shows only the lines of its tree, in either direction.
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
    },
    shape("title", `${node.label}: ${said.slice(0, LISTED).join("; ")}. ${node.opening}`),
    shape("rect", { x, y, width: w, height: h, rx: 6 }),
    shape("text.label", { x: x + 10, y: y + 18.5 }, fitting(node.label, w - 18, "13px")),
  );
}

function saidOf(id, joins) {
  const said = joinsOf(id, joins).map((j) => j.said);
  const more = said.length > LISTED ? ` and ${said.length - LISTED} more` : "";
  return `${said.slice(0, LISTED).join("; ")}${more}.`;
}

function legend(joins) {
  return [
    kindsOf(joins).map(([kind, verb]) => element("span", { class: `kind k-${kind}` }, verb)),
    " Hover over a passage to see its connections; click to read it.",
  ];
}
