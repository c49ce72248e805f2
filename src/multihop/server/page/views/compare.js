// Compares up to four strategies on a question: passages found by all, by some, and by only one.

import { address, askedOf } from "../address.js";
import { at, post } from "../api.js";
import { pluralize, element, fill } from "../dom.js";
import { namesFound } from "../parts/coverage.js";
import { cameIn } from "../parts/hops.js";
import { labelsOf } from "../parts/labels.js";
import { withRetry } from "../parts/problem.js";
import { questionForm, requestOf } from "../parts/question-form.js";
import { snippet } from "../parts/snippet.js";
import { milliseconds } from "../parts/trace.js";

const PLACES = ["a", "b", "c", "d"];

export const title = (values) => (values.q ? `Compare: ${values.q}` : "Compare");

/** Show the view; a question in the address is asked with all its strategies at once. */
export function show(page, here) {
  const { a = page.defaultStrategy, b = otherThan(a, page), c = "", d = "" } = here.values;
  const names = [a, b, c, d];
  const answer = element("div.answer");
  const choices = PLACES.map((name, i) => ({ name, label: `Strategy ${name.toUpperCase()}`, value: names[i], optional: i > 1 }));
  const form = questionForm(page, here.values, choices, (values) =>
    page.go(address("compare", { index: page.index.name, ...values })),
  );
  fill(page.main, element("h1", "Compare strategies"), form, answer);
  if (here.values.q) compareInto(answer, page, here, [...new Set(names.filter(Boolean))]);
}

/** The default strategy to compare with: bm25, or any other. */
function otherThan(first, { strategies }) {
  const others = strategies.map((s) => s.name).filter((name) => name !== first);
  return others.includes("bm25") ? "bm25" : (others[0] ?? first);
}

async function compareInto(place, page, here, names) {
  await withRetry(place, async () => {
    fill(place, element("p.soft", "Searching…"));
    const results = await Promise.all(
      names.map((n) => post(at(page.index.name, "retrieve"), requestOf(here.values, n), page.signal)),
    );
    page.showing(...results);
    const shares = sharesOf(results);
    const said = sentence(shares, results);
    fill(
      place,
      element("p.compared", said),
      shareBar(shares, results),
      element("div.sides.compared-sides", results.map((r, i) => side(page, here, r, results, i))),
    );
    page.announce(said);
  });
}

/** Passages in all results, in some, and in only one: {all, some, only: [ids of each]}. */
export function sharesOf(results) {
  const held = new Map();
  results.forEach((r, i) => r.evidence.forEach((e) => held.set(e.passage.id, [...(held.get(e.passage.id) ?? []), i])));
  const ids = (test) => [...held].filter(([, holders]) => test(holders)).map(([id]) => id);
  const everybody = results.length;
  return {
    all: ids((holders) => holders.length === everybody),
    some: ids((holders) => holders.length > 1 && holders.length < everybody),
    only: results.map((_, i) => ids((holders) => holders.length === 1 && everybody > 1 && holders[0] === i)),
  };
}

function sentence({ all, some, only }, results) {
  const alone = only.map((ids, i) => ids.length > 0 && `only ${nameOf(results[i])} found ${ids.length}`).filter(Boolean).join(", ");
  const who = results.length === 2 ? "Both" : `All ${results.length}`;
  const between = some.length ? ` Some found ${some.length} more.` : "";
  return `${who} found ${pluralize(all.length, "passage")}.${between}${alone && ` ${alone.replace("only", "Only")}.`}`;
}

function shareBar({ all, some, only }, results) {
  const one = (i) => [`side-${PLACES[i]}`, only[i].length, `only ${nameOf(results[i])}`];
  const shared = [["in-all", all.length, results.length === 2 ? "both" : "all"], ["in-some", some.length, "some"]];
  const parts = [one(0), ...shared, ...only.slice(1).map((_, i) => one(i + 1))];
  return element(
    "div.share-bar",
    { "aria-hidden": "true" },
    parts
      .filter(([, n]) => n > 0)
      .map(([kind, n, label]) => element("span", { class: kind, vars: { part: n } }, element("i", `${label} `), n)),
  );
}

function side(page, here, result, results, i) {
  const others = results
    .filter((r) => r !== result)
    .map((r) => ({ name: nameOf(r), ranks: new Map(r.evidence.map((e) => [e.passage.id, e.rank])) }));
  const hops = cameIn(result);
  const labels = labelsOf(result.evidence.map((e) => e.passage));
  const { index, q } = here.values;
  return element(
    "section",
    { class: `side side-${PLACES[i]}`, "aria-labelledby": `side-${i}` },
    element(
      "h2",
      { id: `side-${i}` },
      nameOf(result),
      " ",
      element("a.small", { href: address("ask", { index, ...askedOf(here.values), strategy: nameOf(result) }) }, "full answer"),
    ),
    element("p.soft", facts(result)),
    element(
      "ol.ranked",
      result.evidence.map((e) => row(e, { label: labels.get(e.passage.id), hop: hops.get(e.passage.id) ?? e.hop, href: page.passageHref(e.passage.id), others, q })),
    ),
  );
}

function row({ rank, reason, passage }, { label, hop, href, others, q }) {
  const also = others.filter(({ ranks }) => ranks.has(passage.id));
  const said = also.length
    ? `also in ${also.map(({ name, ranks }) => `${name}, rank ${ranks.get(passage.id)}`).join("; ")}`
    : others.length === 1 ? `not in ${others[0].name}` : "in no other";
  return element(
    "li",
    { class: also.length ? "shared" : "alone" },
    element("span.rank", { "aria-hidden": "true" }, rank),
    element(
      "div",
      { dir: "auto" },
      element("a", { href }, label),
      // Without the hop color: here colors distinguish strategies.
      element("small.reason", { dir: "ltr" }, `hop ${hop}: ${reason}`),
      element("p.snippet", { dir: "auto" }, snippet(passage.text, q)),
      others.length > 0 && element("small", { class: also.length ? "soft" : "alone-mark", dir: "ltr" }, said),
    ),
  );
}

function facts(result) {
  const { hops, seconds } = result.trace;
  const parts = [
    pluralize(result.evidence.length, "passage"),
    pluralize(hops.length, "hop"),
    seconds ? milliseconds(seconds) : "",
    namesFound(result),
  ];
  return parts.filter(Boolean).join(" · ");
}

function nameOf(result) {
  return result.trace.strategy.name;
}
