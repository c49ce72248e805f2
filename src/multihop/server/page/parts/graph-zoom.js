// Zoom and pan of a graph by buttons, keys, wheel and drag, and full page width on demand.

import { element } from "../dom.js";

const CLOSEST = 6;
const STEP = 1.4;
const MOVE = 60;

/** An element for a drawn graph with its controls; `redraw` is called when its width changes. */
export function zoomable(place, redraw) {
  let view = { scale: 1, x: 0, y: 0 };
  const svg = () => place.querySelector("svg");
  const size = () => ({ width: Number(svg().getAttribute("width")), height: Number(svg().getAttribute("height")) });
  function show() {
    if (!svg()) return;
    const { width, height } = size();
    const [w, h] = [width / view.scale, height / view.scale];
    view.x = Math.max(0, Math.min(width - w, view.x));
    view.y = Math.max(0, Math.min(height - h, view.y));
    svg().setAttribute("viewBox", `${view.x} ${view.y} ${w} ${h}`);
    place.classList.toggle("zoomed", view.scale > 1);
  }
  function zoom(factor, at = { x: 0.5, y: 0.5 }) {
    if (!svg()) return;
    const { width, height } = size();
    const scale = Math.max(1, Math.min(CLOSEST, view.scale * factor));
    // Keep the point under the pointer in place.
    const held = (part, whole) => part * (whole / view.scale - whole / scale);
    view = { scale, x: view.x + held(at.x, width), y: view.y + held(at.y, height) };
    show();
  }
  function move(x, y) {
    view = { ...view, x: view.x + x / view.scale, y: view.y + y / view.scale };
    show();
  }
  const reset = () => ((view = { scale: 1, x: 0, y: 0 }), show());
  const keys = {
    "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: reset,
    ArrowLeft: () => move(-MOVE, 0), ArrowRight: () => move(MOVE, 0), ArrowUp: () => move(0, -MOVE), ArrowDown: () => move(0, MOVE),
  };
  place.addEventListener("keydown", (event) => {
    // If the whole graph is visible, arrow keys scroll the page as usual.
    const arrow = event.key.startsWith("Arrow");
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || (arrow && view.scale === 1)) return;
    event.preventDefault();
    keys[event.key]();
  });
  place.addEventListener(
    "wheel",
    (event) => {
      // Without Ctrl the wheel scrolls the page; a touchpad pinch sets ctrlKey.
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = place.getBoundingClientRect();
      zoom(event.deltaY < 0 ? STEP : 1 / STEP, { x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height });
    },
    // Not passive, to prevent the browser from zooming the whole page.
    { passive: false },
  );
  dragged(place, () => view.scale > 1, move);
  // A redrawn picture is not zoomed: restore the view.
  new MutationObserver(show).observe(place, { childList: true });
  return element("div.zoomable", controls({ zoom, reset, place, redraw }), place);
}

function controls({ zoom, reset, place, redraw }) {
  const button = (label, name, click) => element("button", { type: "button", "aria-label": name, title: name, on: { click } }, label);
  const wide = element("button.widen", { type: "button", "aria-pressed": "false", on: { click: widen } }, "Full width");
  function widen() {
    const on = place.closest(".columns").classList.toggle("wide-graph");
    wide.setAttribute("aria-pressed", String(on));
    redraw();
  }
  return element(
    "p.buttons.graph-controls",
    button("+", "Zoom in", () => zoom(STEP)),
    button("−", "Zoom out", () => zoom(1 / STEP)),
    button("Fit", "Show the whole graph", reset),
    wide,
  );
}

/** Move by dragging; a drag over a link does not follow it. */
function dragged(place, movable, move) {
  let last = null;
  let far = 0;
  place.addEventListener("pointerdown", (event) => {
    if (movable() && event.isPrimary) [last, far] = [event, 0];
  });
  place.addEventListener("pointermove", (event) => {
    if (!last || !event.isPrimary) return;
    const [x, y] = [last.clientX - event.clientX, last.clientY - event.clientY];
    far += Math.abs(x) + Math.abs(y);
    last = event;
    move(x, y);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) place.addEventListener(end, () => (last = null));
  // Prevent the browser from dragging the link.
  place.addEventListener("dragstart", (event) => movable() && event.preventDefault());
  // In the capture phase, before the link's own handler.
  place.addEventListener("click", (event) => far > 5 && (event.preventDefault(), (far = 0)), true);
}
