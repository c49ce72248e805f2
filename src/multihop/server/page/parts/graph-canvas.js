// Where a graph is drawn: a place that is filled anew when its room changes, and the picture that fills it.

import { element, fill, shape } from "../dom.js";

/** A place filled with what `pictureOf(width)` gives, whenever its width changes; `draw` does it at once. */
export function fitted(pictureOf) {
  const place = element("div.graph");
  let drawn = 0;
  const draw = () => {
    drawn = Math.floor(place.clientWidth);
    if (drawn > 0) fill(place, pictureOf(drawn));
  };
  // Drawing changes the height, which is no reason to draw again.
  new ResizeObserver(() => Math.floor(place.clientWidth) !== drawn && draw()).observe(place);
  return { place, draw };
}

/** The tip of an arrow, of which lines of one kind refer to by `id`. */
export function tip(id, kind, size) {
  return shape(
    "marker",
    { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: size, markerHeight: size, orient: "auto", markerUnits: "userSpaceOnUse" },
    shape("path", { d: "M0 0L8 4L0 8z", class: `tip ${kind}` }),
  );
}

/** The picture of a graph that is laid out as `where`; `label` is its text alternative. */
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
