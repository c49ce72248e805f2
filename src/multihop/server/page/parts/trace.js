// The trace as a timeline: the plan, every hop with its queries and changes, and the stop reason.

import { pluralize, cut, element, facts, list } from "../dom.js";
import { hopBadge } from "./evidence.js";
import { modelCalls } from "./model-calls.js";

const LISTED = 40;

/** The timeline of a result; `link(id)` makes a link to a passage. */
export function timeline(result, link) {
  const { trace } = result;
  return element(
    "ol.timeline",
    element("li.plan", element("h3", "Plan"), planPart(trace)),
    runs(trace.hops).map((run) => (run.length > 1 ? quietPart(run, result, link) : hopPart(run[0], result, link))),
    trace.notes.length > 0 && element("li.noted", element("h3", "Notes"), list("ul.plain", trace.notes.map((note) => note.text))),
  );
}

/** Hops one by one, with consecutive hops that changed nothing grouped; the last hop is always separate. */
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

function quietPart(run, result, link) {
  return element(
    "li.quiet-hops",
    element(
      "details",
      element("summary", `Hops ${run[0].number} to ${run.at(-1).number}: nothing entered or left`),
      element("ol.timeline", run.map((hop) => hopPart(hop, result, link))),
    ),
  );
}

function planPart(trace) {
  const { plan } = trace;
  const rows = [
    ["entities", plan.entities.map((e) => [element("mark", e.text), element("small", ` ${e.kind}`)])],
    ["sub-questions", plan.sub_questions],
    ["aspects", plan.aspects.map((a) => [a.text, element("small", a.importance >= 0.8 ? " core" : " optional")])],
    ["to verify", plan.facts ?? []],
    ["searches", plan.queries ?? []],
    ["notes", plan.notes.map((note) => note.text)],
    ["model", [modelCalls(trace, 0)].filter(Boolean)],
  ].filter(([, values]) => values.length);
  if (!rows.length) return element("p.soft", "the question as it is");
  return facts(rows.map(([name, values]) => [name, list("ul.plain", values)]));
}

function hopPart(hop, { question, trace }, link) {
  const replacement = (r) => [link(r.out), " → ", link(r.into), element("small", ` ${r.reason}`)];
  const size = `${pluralize(hop.found.length, "query", "queries")}, ${pluralize(hop.pool, "candidate")} so far`;
  const rows = [
    ["asked", [...new Set(hop.found.map((f) => f.query.purpose))].join("; ")],
    ["entered", hop.entered.length > 0 && linked(hop.entered, link)],
    ["left", hop.left.length > 0 && linked(hop.left, link)],
    ["replaced", hop.replaced.length > 0 && list("ul.plain", hop.replaced.map(replacement))],
    ["decision", element("span", element("b", hop.decision.stop ? "stop" : "go on"), `: ${hop.decision.reason}`)],
    ["model", modelCalls(trace, hop.number)],
    ["notes", (hop.notes ?? []).length > 0 && hop.notes.map((note) => note.text).join("; ")],
  ].filter(([, value]) => value);
  return element(
    "li",
    { id: `hop-${hop.number}` },
    element("h3", hopBadge(hop.number), element("span.soft", size), times(hop.seconds)),
    facts(rows),
    hop.found.length > 0 &&
      element(
        "details",
        element("summary", "Queries and their hits"),
        list("ul.queries", hop.found.map((f) => queryPart(f, question, link))),
      ),
  );
}

function queryPart(found, question, link) {
  const counts = Object.entries(found.counts).map(([channel, n]) => `${channel} ${n}`).join(" · ");
  const best = [...new Set(found.top.map((h) => h.passage_id))].slice(0, 3);
  return [
    element("b", found.query.purpose),
    found.query.text !== question && element("q", cut(found.query.text, 140)),
    element("small", `${counts || "nothing"} · ${found.new} new`),
    best.length > 0 && element("small.best", "best: ", best.map((id, i) => [i > 0 && ", ", link(id)])),
  ];
}

function linked(ids, link) {
  const more = ids.length > LISTED ? [`${ids.length - LISTED} more`] : [];
  return list("ul.inline", [...ids.slice(0, LISTED).map((id) => link(id)), ...more]);
}

function times(seconds) {
  const stages = Object.entries(seconds ?? {}).filter(([, s]) => s > 0);
  const total = stages.reduce((sum, [, s]) => sum + s, 0);
  if (!total) return null;
  const said = stages.map(([stage, s]) => `${stage} ${milliseconds(s)}`).join(", ");
  return element(
    "span.times",
    { title: said, role: "img", "aria-label": `Time: ${said}` },
    element(
      "span.stack-bar",
      stages.map(([, s], i) => element("span", { class: `stage s${i % 6}`, vars: { part: (s / total).toFixed(4) } })),
    ),
    milliseconds(total),
  );
}

/** Format seconds for people: "0.4 ms", "12 ms", "1.3 s". */
export function milliseconds(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return seconds >= 0.01 ? `${Math.round(seconds * 1000)} ms` : `${(seconds * 1000).toFixed(1)} ms`;
}
