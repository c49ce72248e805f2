// What of the question was found: its parts by their words, its names hop by hop, each with the passage that has it.

import { counted, element, shape, table } from "../dom.js";
import { partsAlong } from "./chain.js";
import { inNone, matchOf, partsOf } from "./shared.js";

const WIDE = 420;
const TALL = 76;
const LEFT = 44;
const MOST_HOPS = 12;

/** Share of the targets that are covered, weighted by importance; 1 when nothing was asked for. */
function fraction(targets) {
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
  const course = result.trace.hops.map((hop) => fraction(hop.coverage_after.targets));
  return element(
    "div.coverage",
    parts.length > 0 && partTable(result, parts, labelOf, hrefOf),
    targets.length > 0
      ? [course.some((v) => v !== course[0]) && chart(course), nameTable(result, labelOf, hrefOf)]
      : element("p.soft", "The question names nothing that could be checked off."),
    element(
      "p.soft",
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
    const link = (id) => element("a", { href: hrefOf(id) }, labelOf(id));
    return [
      element("th", { scope: "row", dir: "auto" }, part),
      [
        best?.share ? link(best.passage.id) : element("span.no", "no passage"),
        !best?.share && led && ["; the chain leads to ", link(led)],
        missing.length > 0 && element("small.missing", `in no passage: ${missing.join(", ")}`),
      ],
    ];
  };
  return table("table", ["Part of the question", "most of its words"], parts.map(row));
}

function chart(values) {
  const shown = [0, ...values];
  const step = (WIDE - LEFT - 24) / Math.max(1, shown.length - 1);
  const x = (i) => LEFT + i * step;
  const y = (v) => 8 + (1 - v) * (TALL - 26);
  const path = shown.map((v, i) => (i === 0 ? `M${x(0)} ${y(v)}` : `H${x(i)}V${y(v)}`)).join("");
  const said = values.map((v, i) => `${percent(v)} after hop ${i + 1}`).join(", ");
  return shape(
    "svg.steps-chart",
    { viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": `Names found: ${said}` },
    [0, 1].map((v) => [
      shape("line.grid", { x1: LEFT, x2: WIDE - 24, y1: y(v), y2: y(v) }),
      shape("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, percent(v)),
    ]),
    shape("path.area", { d: `${path}V${y(0)}H${x(0)}Z` }),
    shape("path.course", { d: path }),
    values.map((v, i) => shape("circle", { class: `dot h${(i + 1) % 8}`, cx: x(i + 1), cy: y(v), r: 4 })),
    values.length <= MOST_HOPS &&
      values.map((_, i) =>
        shape("text", { x: x(i + 1), y: TALL - 3, "text-anchor": "middle" }, i === 0 ? "hop 1" : i + 1),
      ),
  );
}

function nameTable(result, labelOf, hrefOf) {
  const hops = result.trace.hops.slice(0, MOST_HOPS);
  const heads = ["Named, found after hop", ...hops.map((h) => element("th.c", { scope: "col" }, h.number)), "by"];
  const row = ({ name, kind, covered_by: by }, i) => [
    [name, element("small", ` ${kind.replace("aspect:", "")}`)],
    ...hops.map((hop) => mark(hop, hop.coverage_after.targets[i])),
    [by ? element("a", { href: hrefOf(by) }, labelOf(by)) : element("span.no", "nothing")],
  ];
  return element("div.scroll", table("table", heads, result.coverage.targets.map(row)));
}

function mark(hop, target) {
  const covered = Boolean(target?.covered_by);
  const share = Math.round((target?.score ?? 0) * 100);
  return element(
    "td.c",
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
    element("span.unseen", covered ? "found" : `not found, ${share} %`),
  );
}

function percent(value) {
  return `${Math.round(value * 100)} %`;
}
