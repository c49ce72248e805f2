// Drawing area of a graph: an element redrawn when its width changes, and the picture in it.

import { element, fill, shape } from "../dom.js";

/** An element filled with `pictureOf(width)` whenever its width changes; `draw` redraws it at once. */
export function resizable(pictureOf) {
  const place = element("div.graph");
  let drawn = 0;
  const draw = () => {
    drawn = Math.floor(place.clientWidth);
    if (drawn > 0) fill(place, pictureOf(drawn));
  };
  // Drawing changes the height, which must not trigger another redraw.
  new ResizeObserver(() => Math.floor(place.clientWidth) !== drawn && draw()).observe(place);
  return { place, draw };
}

/** An arrowhead that lines of one kind reference by `id`. */
export function tip(id, kind, size) {
  return shape(
    "marker",
    { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: size, markerHeight: size, orient: "auto", markerUnits: "userSpaceOnUse" },
    shape("path", { d: "M0 0L8 4L0 8z", class: `tip ${kind}` }),
  );
}

/** The picture of a graph with the layout `where`; `label` is its text alternative. */
export function canvas(where, label, ...parts) {
  return shape(
    "svg",
    {
      viewBox: `0 0 ${where.width} ${where.height}`,
      width: where.width,
      height: where.height,
      class: where.wide ? "" : "outline",
      role: "group",
      "aria-label": label,
    },
    ...parts,
  );
}
