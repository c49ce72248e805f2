// Progress of a question: one step per hop, added as the server works; the trace replaces it.

import { pluralize, cut, element } from "../dom.js";
import { documentOf } from "./labels.js";

const NAMED = 4;

/** A row of steps; `add(hop)` appends and announces one, `checking()` shows that a draft is checked, `writing()` that a model writes. */
export function steps(announce, onCancel) {
  const place = element("ol.steps", { "aria-label": "Hops" });
  const waiting = element(
    "li.step.waiting",
    element("b", "Searching…"),
    element("button.quiet", { type: "button", on: { click: onCancel } }, "Cancel"),
  );
  place.append(waiting);
  const doing = waiting.firstChild;
  return {
    place,
    add(hop) {
      const said = element("span", { dir: "auto" }, hop.entered.length ? named(hop) : counts(hop));
      waiting.before(element("li.step", element("b", `Hop ${hop.number}`), said));
      announce(`Hop ${hop.number}: ${counts(hop)}.`);
    },
    checking() {
      doing.textContent = "Checking the answer…";
      announce("A draft of the answer is shown; it is being checked.");
    },
    writing() {
      doing.textContent = "A language model is writing…";
      announce("Evidence found. A language model is writing the answer.");
    },
  };
}

/** Titles of the added passages. */
function named(hop) {
  const titles = hop.entered.slice(0, NAMED).map((id) => hop.titles[id] || documentOf(id));
  const more = hop.entered.length - titles.length;
  return `${titles.map((t) => cut(t, 40)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function counts(hop) {
  const parts = [pluralize(hop.found.length, "query", "queries"), hop.entered.length ? `${hop.entered.length} in` : "nothing new"];
  if (hop.left.length) parts.push(`${hop.left.length} out`);
  return parts.join(", ");
}
