// Coverage hop by hop: a small step chart of the whole, and a table of what was covered when and by what.

import { element, shape } from "../dom.js";

const WIDE = 420;
const TALL = 76;
const LEFT = 44;
const MOST_HOPS = 12;

/** The share of the targets that are covered after each hop, weighted by importance. */
export function fractions(hops) {
  return hops.map((hop) => fraction(hop.coverage_after.targets));
}

/** Share of the targets that are covered; 1 when nothing was asked for. */
export function fraction(targets) {
  const total = targets.reduce((sum, t) => sum + t.importance, 0);
  const covered = targets.reduce((sum, t) => sum + (t.covered_by ? t.importance : 0), 0);
  return total ? covered / total : 1;
}

/** Chart and table of a result's coverage. */
export function coveragePart(result, labelOf, hrefOf) {
  if (!result.coverage.targets.length)
    return element(
      "p",
      { class: "soft" },
      "The question names nothing that could be checked off, so coverage was not counted.",
    );
  return element("div", { class: "coverage" }, chart(fractions(result.trace.hops)), table(result, labelOf, hrefOf));
}

function chart(values) {
  const shown = [0, ...values];
  const step = (WIDE - LEFT - 24) / Math.max(1, shown.length - 1);
  const x = (i) => LEFT + i * step;
  const y = (v) => 8 + (1 - v) * (TALL - 26);
  const path = shown.map((v, i) => (i === 0 ? `M${x(0)} ${y(v)}` : `H${x(i)}V${y(v)}`)).join("");
  const said = values.map((v, i) => `${percent(v)} after hop ${i + 1}`).join(", ");
  return shape(
    "svg",
    { class: "steps-chart", viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": `Covered: ${said}` },
    [0, 1].map((v) => [
      shape("line", { class: "grid", x1: LEFT, x2: WIDE - 24, y1: y(v), y2: y(v) }),
      shape("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, percent(v)),
    ]),
    shape("path", { class: "area", d: `${path}V${y(0)}H${x(0)}Z` }),
    shape("path", { class: "course", d: path }),
    values.map((v, i) => shape("circle", { class: `dot h${(i + 1) % 8}`, cx: x(i + 1), cy: y(v), r: 4 })),
    values.length <= MOST_HOPS &&
      values.map((_, i) =>
        shape("text", { x: x(i + 1), y: TALL - 3, "text-anchor": "middle" }, i === 0 ? "hop 1" : i + 1),
      ),
  );
}

function table(result, labelOf, hrefOf) {
  const hops = result.trace.hops.slice(0, MOST_HOPS);
  return element(
    "div",
    { class: "scroll" },
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "Covered after hop"),
          hops.map((h) => element("th", { scope: "col", class: "c" }, h.number)),
          element("th", { scope: "col" }, "by"),
        ),
      ),
      element(
        "tbody",
        {},
        result.coverage.targets.map((target, i) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, target.name, element("small", {}, ` ${kindOf(target)}`)),
            hops.map((hop) => mark(hop, hop.coverage_after.targets[i])),
            element(
              "td",
              {},
              target.covered_by
                ? element("a", { href: hrefOf(target.covered_by) }, labelOf(target.covered_by))
                : element("span", { class: "no" }, "nothing"),
            ),
          ),
        ),
      ),
    ),
  );
}

function mark(hop, target) {
  const covered = Boolean(target?.covered_by);
  const share = Math.round((target?.score ?? 0) * 100);
  return element(
    "td",
    { class: "c" },
    element("span", {
      class: `mark-dot h${hop.number % 8}${covered ? " on" : ""}`,
      title: `${share} % after hop ${hop.number}`,
      vars: { share: `${share}%` },
    }),
    element("span", { class: "unseen" }, covered ? "covered" : `not covered, ${share} %`),
  );
}

function kindOf(target) {
  return target.kind.replace("aspect:", "");
}

function percent(value) {
  return `${Math.round(value * 100)} %`;
}
