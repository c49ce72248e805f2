// The hops as they happen: one step each, added while the server is still working, kept as the summary afterwards.

import { counted, element } from "../dom.js";
import { fraction } from "./coverage.js";

/** A row of steps; `add(hop)` appends one and says it aloud, `end(title, text)` closes it. */
export function steps(announce, onCancel) {
  const place = element("ol", { class: "steps", "aria-label": "Hops" });
  const waiting = element(
    "li",
    { class: "step waiting" },
    element("b", {}, "Searching…"),
    element("button", { type: "button", class: "quiet", on: { click: onCancel } }, "Cancel"),
  );
  place.append(waiting);
  return {
    place,
    add(hop) {
      waiting.before(step(hop));
      announce(`Hop ${hop.number}: ${said(hop)}.`);
    },
    end(title, text) {
      waiting.replaceWith(element("li", { class: "step end" }, element("b", {}, title), element("span", {}, text)));
    },
  };
}

function step(hop) {
  return element(
    "li",
    { class: `step h${hop.number % 8}` },
    element("a", { href: `#hop-${hop.number}` }, `Hop ${hop.number}`),
    element("span", {}, said(hop)),
  );
}

function said(hop) {
  const parts = [counted(hop.found.length, "query", "queries"), `${hop.entered.length} in`];
  if (hop.left.length) parts.push(`${hop.left.length} out`);
  if (hop.coverage_after.targets.length)
    parts.push(`${Math.round(fraction(hop.coverage_after.targets) * 100)} % covered`);
  return parts.join(", ");
}
