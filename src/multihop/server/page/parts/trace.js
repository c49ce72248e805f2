// The trace as a timeline: the plan, every hop with its queries, what came and went, and why it stopped.

import { counted, cut, element } from "../dom.js";
import { hopBadge } from "./evidence.js";
import { modelCalls } from "./model-calls.js";

const LISTED = 40;

/** The timeline of a result; `link(id)` makes a link to a passage. */
export function timeline(result, link) {
  const { trace } = result;
  return element(
    "ol",
    { class: "timeline" },
    element("li", { class: "plan" }, element("h3", {}, "Plan"), planPart(trace)),
    runs(trace.hops).map((run) => (run.length > 1 ? quietPart(run, trace, link) : hopPart(run[0], trace, link))),
    notes(trace.notes),
  );
}

/** Hops one by one, but those in a row that changed nothing together; the last one, which stopped, stands alone. */
function runs(hops) {
  const found = [];
  hops.forEach((hop, i) => {
    const joins = i > 0 && i < hops.length - 1 && quiet(hop) && quiet(hops[i - 1]);
    if (joins) found.at(-1).push(hop);
    else found.push([hop]);
  });
  return found;
}

function quiet(hop) {
  return !hop.entered.length && !hop.left.length && !hop.replaced.length;
}

function quietPart(run, trace, link) {
  return element(
    "li",
    { class: "quiet-hops" },
    element(
      "details",
      {},
      element("summary", {}, `Hops ${run[0].number} to ${run.at(-1).number}: nothing entered or left`),
      element(
        "ol",
        { class: "timeline" },
        run.map((hop) => hopPart(hop, trace, link)),
      ),
    ),
  );
}

function planPart(trace) {
  const { plan } = trace;
  const rows = [
    ["entities", plan.entities.map((e) => [element("mark", {}, e.text), element("small", {}, ` ${e.kind}`)])],
    ["sub-questions", plan.sub_questions],
    ["aspects", plan.aspects.map((a) => [a.text, element("small", {}, a.importance >= 0.8 ? " core" : " optional")])],
    ["to verify", plan.facts ?? []],
    ["searches", plan.queries ?? []],
    ["notes", plan.notes],
    ["model", [modelCalls(trace, 0)].filter(Boolean)],
  ].filter(([, values]) => values.length);
  if (!rows.length) return element("p", { class: "soft" }, "the question as it is");
  return facts(
    rows.map(([name, values]) => [
      name,
      element(
        "ul",
        { class: "plain" },
        values.map((v) => element("li", {}, v)),
      ),
    ]),
  );
}

function hopPart(hop, trace, link) {
  const rows = [
    ["asked", [...new Set(hop.found.map((f) => f.query.purpose))].join("; ")],
    ["entered", hop.entered.length > 0 && list(hop.entered, link)],
    ["left", hop.left.length > 0 && list(hop.left, link)],
    [
      "replaced",
      hop.replaced.length > 0 &&
        element(
          "ul",
          { class: "plain" },
          hop.replaced.map((r) =>
            element("li", {}, link(r.out), " → ", link(r.into), element("small", {}, ` ${r.reason}`)),
          ),
        ),
    ],
    [
      "decision",
      element("span", {}, element("b", {}, hop.decision.stop ? "stop" : "go on"), `: ${hop.decision.reason}`),
    ],
    ["model", modelCalls(trace, hop.number)],
    ["notes", (hop.notes ?? []).length > 0 && hop.notes.join("; ")],
  ].filter(([, value]) => value);
  return element(
    "li",
    { id: `hop-${hop.number}`, class: `h${hop.number % 8}` },
    element(
      "h3",
      {},
      hopBadge(hop.number),
      element(
        "span",
        { class: "soft" },
        `${counted(hop.found.length, "query", "queries")}, ${counted(hop.pool, "candidate")} so far`,
      ),
      times(hop.seconds),
    ),
    facts(rows),
    hop.found.length > 0 &&
      element(
        "details",
        {},
        element("summary", {}, "Queries and what each found"),
        element(
          "ul",
          { class: "queries" },
          hop.found.map((f) => queryPart(f, link)),
        ),
      ),
  );
}

function queryPart(found, link) {
  const counts = Object.entries(found.counts)
    .map(([channel, n]) => `${channel} ${n}`)
    .join(" · ");
  return element(
    "li",
    {},
    element("b", {}, found.query.purpose),
    !found.query.purpose.startsWith("the question as it is") && element("q", {}, cut(found.query.text, 140)),
    element("small", {}, `${counts || "nothing"} · ${found.new} new`),
    found.top.length > 0 &&
      element(
        "small",
        { class: "best" },
        "best: ",
        [...new Set(found.top.map((h) => h.passage_id))].slice(0, 3).map((id, i) => [i > 0 && ", ", link(id)]),
      ),
  );
}

function list(ids, link) {
  return element(
    "ul",
    { class: "inline" },
    ids.slice(0, LISTED).map((id) => element("li", {}, link(id))),
    ids.length > LISTED && element("li", {}, `${ids.length - LISTED} more`),
  );
}

function times(seconds) {
  const stages = Object.entries(seconds ?? {}).filter(([, s]) => s > 0);
  const total = stages.reduce((sum, [, s]) => sum + s, 0);
  if (!total) return null;
  const said = stages.map(([stage, s]) => `${stage} ${milliseconds(s)}`).join(", ");
  return element(
    "span",
    { class: "times", title: said, role: "img", "aria-label": `Time: ${said}` },
    element(
      "span",
      { class: "stack-bar" },
      stages.map(([, s], i) => element("span", { class: `stage s${i % 6}`, vars: { part: (s / total).toFixed(4) } })),
    ),
    milliseconds(total),
  );
}

/** Seconds as a person reads them: "0.4 ms", "12 ms", "1.3 s". */
export function milliseconds(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return seconds >= 0.01 ? `${Math.round(seconds * 1000)} ms` : `${(seconds * 1000).toFixed(1)} ms`;
}

function notes(said) {
  return (
    said.length > 0 &&
    element(
      "li",
      { class: "noted" },
      element("h3", {}, "Notes"),
      element(
        "ul",
        { class: "plain" },
        said.map((n) => element("li", {}, n)),
      ),
    )
  );
}

function facts(rows) {
  return element(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
}
