// Two strategies on the same question, side by side: what both found, and what only one found.

import { address } from "../address.js";
import { at, post } from "../api.js";
import { counted, element, fill } from "../dom.js";
import { fraction } from "../parts/coverage.js";
import { hopBadge } from "../parts/evidence.js";
import { cameIn } from "../parts/hops.js";
import { labelsOf } from "../parts/labels.js";
import { failed } from "../parts/problem.js";
import { questionForm, requestOf } from "../parts/question-form.js";
import { milliseconds } from "../parts/trace.js";

export const title = (values) => (values.q ? `Compare: ${values.q}` : "Compare");

/** Show the view; with a question in the address both strategies are asked at once. */
export function show(page, here) {
  const a = here.values.a ?? page.defaultStrategy;
  const b =
    here.values.b ??
    page.strategies
      .map((s) => s.name)
      .filter((n) => n !== a)
      .sort((x, y) => (y === "bm25") - (x === "bm25"))[0] ??
    a;
  const answer = element("div", { class: "answer" });
  const choices = [
    { name: "a", label: "Strategy A", value: a },
    { name: "b", label: "Strategy B", value: b },
  ];
  const form = questionForm(page, here.values, choices, (values) =>
    page.go(address("compare", { index: page.index.name, ...values })),
  );
  form.classList.toggle("compact", Boolean(here.values.q));
  fill(page.main, element("h1", {}, "Compare two strategies"), form, answer);
  if (here.values.q) compareInto(answer, page, here, [a, b]);
}

async function compareInto(place, page, here, names) {
  fill(place, element("p", { class: "soft" }, "Searching…"));
  try {
    const results = await Promise.all(
      names.map((n) => post(at(page.index.name, "retrieve"), requestOf(here.values, n), page.signal)),
    );
    fill(place, comparison(page, here, results));
    page.announce(sentence(split(...results), results));
  } catch (error) {
    failed(place, error, () => compareInto(place, page, here, names));
  }
}

/** Which passages both results hold, and which only one of them. */
export function split(a, b) {
  const ids = (result) => result.evidence.map((e) => e.passage.id);
  const [inA, inB] = [new Set(ids(a)), new Set(ids(b))];
  return {
    both: ids(a).filter((id) => inB.has(id)),
    onlyA: ids(a).filter((id) => !inB.has(id)),
    onlyB: ids(b).filter((id) => !inA.has(id)),
  };
}

function comparison(page, here, results) {
  const parts = split(...results);
  page.showing(results[0], results[1]);
  return [
    element("p", { class: "compared" }, sentence(parts, results)),
    shareBar(parts, results),
    element(
      "div",
      { class: "sides" },
      results.map((r, i) => side(page, here, r, results[1 - i], i)),
    ),
  ];
}

function sentence({ both, onlyA, onlyB }, [a, b]) {
  const alone = `Only ${nameOf(a)} found ${onlyA.length}, only ${nameOf(b)} found ${onlyB.length}.`;
  return `Both found ${counted(both.length, "passage")}. ${alone}`;
}

function shareBar({ both, onlyA, onlyB }, [a, b]) {
  const parts = [
    ["only-a", onlyA.length, `only ${nameOf(a)}`],
    ["in-both", both.length, "both"],
    ["only-b", onlyB.length, `only ${nameOf(b)}`],
  ];
  return element(
    "div",
    { class: "share-bar", "aria-hidden": "true" },
    parts
      .filter(([, n]) => n > 0)
      .map(([kind, n, label]) => element("span", { class: kind, vars: { part: n } }, element("i", {}, `${label} `), n)),
  );
}

function side(page, here, result, other, i) {
  const ranks = new Map(other.evidence.map((e) => [e.passage.id, e.rank]));
  const hops = cameIn(result);
  const labels = labelsOf(result.evidence.map((e) => e.passage));
  const { values } = here;
  const whole = address("ask", {
    index: values.index,
    q: values.q,
    k: values.k,
    where: values.where,
    strategy: nameOf(result),
  });
  return element(
    "section",
    { class: `side side-${"ab"[i]}`, "aria-labelledby": `side-${i}` },
    element(
      "h2",
      { id: `side-${i}` },
      nameOf(result),
      " ",
      element("a", { class: "small", href: whole }, "whole answer"),
    ),
    element("p", { class: "soft" }, facts(result)),
    element(
      "ol",
      { class: "ranked" },
      result.evidence.map((e) => {
        const { id } = e.passage;
        const shown = { rank: e.rank, reason: e.reason, label: labels.get(id), hop: hops.get(id) ?? e.hop };
        return row(shown, page.passageHref(id), ranks.get(id), nameOf(other));
      }),
    ),
  );
}

function row({ rank, label, reason, hop }, href, otherRank, other) {
  return element(
    "li",
    { class: otherRank ? "in-both" : "alone" },
    element("span", { class: "rank", "aria-hidden": "true" }, rank),
    element(
      "div",
      {},
      element("a", { href }, label),
      " ",
      hopBadge(hop),
      element("small", { class: "reason" }, reason),
      element(
        "small",
        { class: otherRank ? "soft" : "alone-mark" },
        otherRank ? `also in ${other}, rank ${otherRank}` : `not in ${other}`,
      ),
    ),
  );
}

function facts(result) {
  const { hops, seconds } = result.trace;
  const parts = [
    counted(result.evidence.length, "passage"),
    counted(hops.length, "hop"),
    seconds ? milliseconds(seconds) : "",
    result.coverage.targets.length ? `${Math.round(fraction(result.coverage.targets) * 100)} % covered` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

function nameOf(result) {
  return result.trace.strategy.name;
}
