// What of the question was found: its parts by their words, its names hop by hop, each with the passage that has it.

import { counted, element, shape } from "../dom.js";
import { partsAlong } from "./chain.js";
import { inNone, matchOf, partsOf } from "./shared.js";

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

/** How many of the names of a question were found, in words; nothing where it names none. */
export function namesFound({ coverage: { targets } }) {
  return targets.length > 0 && `${targets.filter((t) => t.covered_by).length} of ${counted(targets.length, "name")} found`;
}

/** What of the question is in the evidence, part by part and name by name, and what that cannot say. */
export function coveragePart(result, labelOf, hrefOf) {
  const { targets } = result.coverage;
  const parts = partsOf(result);
  const course = fractions(result.trace.hops);
  return element(
    "div",
    { class: "coverage" },
    parts.length > 0 && partTable(result, parts, labelOf, hrefOf),
    targets.length > 0
      ? [course.some((v) => v !== course[0]) && chart(course), table(result, labelOf, hrefOf)]
      : element("p", { class: "soft" }, "The question names nothing that could be checked off."),
    element(
      "p",
      { class: "soft" },
      "Counted by names and words. That a passage has them does not say that it answers: read the sentence.",
    ),
  );
}

/** Every part of the question with the passage that has most of its words, and the words that no passage has. */
function partTable(result, parts, labelOf, hrefOf) {
  const along = [...partsAlong(result, result.chain)];
  const row = (part) => {
    const matches = result.evidence.map(({ passage }) => ({ passage, ...matchOf(part, passage) }));
    const best = matches.reduce((a, b) => (!a || b.share > a.share ? b : a), null);
    const missing = inNone(part, result.evidence);
    const [led] = along.find(([, told]) => told === part) ?? [];
    return element(
      "tr",
      {},
      element("th", { scope: "row", dir: "auto" }, part),
      element(
        "td",
        {},
        best?.share
          ? element("a", { href: hrefOf(best.passage.id) }, labelOf(best.passage.id))
          : element("span", { class: "no" }, "no passage"),
        !best?.share && led && ["; the chain leads to ", element("a", { href: hrefOf(led) }, labelOf(led))],
        missing.length > 0 && element("small", { class: "missing" }, `in no passage: ${missing.join(", ")}`),
      ),
    );
  };
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ["Part of the question", "most of its words"].map((t) => element("th", { scope: "col" }, t)))),
    element("tbody", {}, parts.map(row)),
  );
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
    { class: "steps-chart", viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": `Names found: ${said}` },
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
          element("th", { scope: "col" }, "Named, found after hop"),
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
    // A sign and not a color alone, so that print and forced colors show it too.
    element(
      "span",
      {
        class: `mark-dot h${hop.number % 8}${covered ? " on" : ""}`,
        title: `${share} % after hop ${hop.number}`,
        "aria-hidden": "true",
      },
      covered ? "✓" : "–",
    ),
    element("span", { class: "unseen" }, covered ? "found" : `not found, ${share} %`),
  );
}

function kindOf(target) {
  return target.kind.replace("aspect:", "");
}

function percent(value) {
  return `${Math.round(value * 100)} %`;
}
