// The lines of a graph: their paths, and highlighting those of a node.

/** The path of a line between columns or within one; without `from` it starts at `start`. */
export function across(from, to, start) {
  const y1 = from ? from.y + from.h / 2 : start.y;
  const y2 = to.y + to.h / 2;
  if (from && from.x === to.x) {
    const side = from.x + from.w;
    const bulge = side + 14 + Math.min(14, Math.abs(y2 - y1) / 10);
    return `M${side} ${y1}C${bulge} ${y1} ${bulge} ${y2} ${side} ${y2}`;
  }
  // Lines connect the sides that face each other.
  const onward = !from || from.x < to.x;
  const x1 = from ? from.x + (onward ? from.w : 0) : start.x + 12;
  const x2 = to.x + (onward ? 0 : to.w);
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** The path of a line in an outline. */
export function down(from, to, start) {
  const y2 = to.y + to.h / 2;
  const x1 = from ? from.x + 9 : start.x;
  const y1 = from ? from.y + from.h : start.y + 12;
  if (y2 > y1 && x1 < to.x) return `M${x1} ${y1}V${y2 - 6}q0 6 6 6H${to.x}`;
  const side = Math.min(from.x, to.x) - 16;
  return `M${from.x} ${from.y + from.h / 2}C${side} ${from.y} ${side} ${y2} ${to.x} ${y2}`;
}

/** Highlight the lines of a node on hover or focus; `onNear` is called with its id ("" for none). */
export function showNear(svg, onNear = () => undefined) {
  const look = (link) => {
    const id = link?.dataset.id;
    svg.classList.toggle("looking", Boolean(id));
    for (const edge of svg.querySelectorAll(".edge"))
      edge.classList.toggle("near", Boolean(id) && (edge.dataset.from === id || edge.dataset.to === id));
    onNear(id ?? "");
  };
  for (const event of ["mouseover", "focusin"]) svg.addEventListener(event, (e) => look(e.target.closest("a")));
  svg.addEventListener("mouseleave", () => look(null));
  return svg;
}
