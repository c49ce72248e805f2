// Coverage of the question: its parts by words, its names by hop, each with the covering passage.

import { pluralize, element, shape, table } from "../dom.js";
import { partsAlong } from "./chain.js";
import { missingWords, matchOf, partsOf } from "./question-match.js";

const WIDE = 420;
const TALL = 76;
const LEFT = 44;
const MOST_HOPS = 12;

/** Covered share of the targets, weighted by importance; 1 if there are none. */
function fraction(targets) {
  const total = targets.reduce((sum, t) => sum + t.importance, 0);
  const covered = targets.reduce((sum, t) => sum + (t.covered_by ? t.importance : 0), 0);
  return total ? covered / total : 1;
}

/** "2 of 3 names found", or false if the question has no names. */
export function namesFound({ coverage: { targets } }) {
  return targets.length > 0 && `${targets.filter((t) => t.covered_by).length} of ${pluralize(targets.length, "name")} found`;
}

/** Tables of covered parts and names of the question, with a caveat. */
export function coveragePart(result, labelOf, hrefOf) {
  const { targets } = result.coverage;
  const parts = partsOf(result);
  const course = result.trace.hops.map((hop) => fraction(hop.coverage_after.targets));
  return element(
    "div.coverage",
    parts.length > 0 && partTable(result, parts, labelOf, hrefOf),
    targets.length > 0
      ? [course.some((v) => v !== course[0]) && chart(course), nameTable(result, labelOf, hrefOf)]
      : element("p.soft", "The question contains no names to check."),
    (parts.length > 0 || targets.length > 0) &&
      element("p.soft", "Measured by names and words only: a passage may contain them without answering the question."),
  );
}

/** Each part of the question with the best-matching passage and the words found in no passage. */
function partTable(result, parts, labelOf, hrefOf) {
  const along = [...partsAlong(result, result.chain)];
  const row = (part) => {
    const matches = result.evidence.map(({ passage }) => ({ passage, ...matchOf(part, passage) }));
    const best = matches.reduce((a, b) => (!a || b.share > a.share ? b : a), null);
    const missing = missingWords(part, result.evidence);
    const [led] = along.find(([, left]) => left === part) ?? [];
    const link = (id) => element("a", { href: hrefOf(id) }, labelOf(id));
    return [
      element("th", { scope: "row", dir: "auto" }, part),
      [
        best?.share ? link(best.passage.id) : element("span.no", "no passage"),
        !best?.share && led && ["; the chain leads to ", link(led)],
        missing.length > 0 && element("small.missing", `not in any passage: ${missing.join(", ")}`),
      ],
    ];
  };
  return table("table", ["Part of the question", "best match"], parts.map(row));
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
    values.map((v, i) => shape("circle", { class: "dot", cx: x(i + 1), cy: y(v), r: 4 })),
    values.length <= MOST_HOPS &&
      values.map((_, i) =>
        shape("text", { x: x(i + 1), y: TALL - 3, "text-anchor": "middle" }, i === 0 ? "hop 1" : i + 1),
      ),
  );
}

function nameTable(result, labelOf, hrefOf) {
  const hops = result.trace.hops.slice(0, MOST_HOPS);
  const heads = ["Name, found after hop", ...hops.map((h) => element("th.c", { scope: "col" }, h.number)), "in"];
  const row = ({ name, kind, covered_by: by }, i) => [
    [name, kind !== "span" && element("small", ` ${kind.replace("aspect:", "")}`)],
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
    // A sign, not color alone, so that it is visible in print and with forced colors.
    element(
      "span",
      {
        class: `mark-dot${covered ? " on" : ""}`,
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
