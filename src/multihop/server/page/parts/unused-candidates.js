// Candidates that are not in the evidence: how far each got, and what outranked it.

import { pluralize, element, fill } from "../dom.js";
import { percent } from "./evidence.js";
import { labelsOf } from "./labels.js";
import { withRetry } from "./problem.js";
import { hasChances } from "./question-match.js";

const LISTED = 60;
const RANKED = 100;

/** Unused candidates, {id, sightings, left, replaced}, those that got furthest first. */
export function unusedCandidates(result) {
  const kept = new Set(result.evidence.map((e) => e.passage.id));
  const met = new Map();
  const about = (id) => {
    if (!met.has(id)) met.set(id, { id, sightings: [], left: 0, replaced: null });
    return met.get(id);
  };
  for (const hop of result.trace.hops) {
    for (const found of hop.found)
      found.top.forEach((hit, i) => {
        if (!kept.has(hit.passage_id)) about(hit.passage_id).sightings.push({ hop: hop.number, purpose: found.query.purpose, rank: i + 1, ...hit });
      });
    for (const id of hop.left) if (!kept.has(id)) about(id).left = hop.number;
    for (const r of hop.replaced) if (!kept.has(r.out)) about(r.out).replaced = { ...r, hop: hop.number };
  }
  return [...met.values()].sort((a, b) => b.left - a.left || bestRank(a) - bestRank(b));
}

function bestRank({ sightings }) {
  return Math.min(1e6, ...sightings.map((s) => s.rank));
}

/** The list, folded; `link(id)` makes a link to a passage, and `ranked(k)` resolves to the result of a larger budget. */
export function unusedCandidatesPart(result, link, ranked) {
  const all = unusedCandidates(result);
  if (!all.length) return null;
  return element(
    "details.left-out",
    element("summary", `Considered but not used: ${pluralize(Math.max(all.length, pool(result) - result.evidence.length), "passage")}`),
    element("p.soft", bar(result, link), all.length < pool(result) - result.evidence.length && ` The ${all.length} closest:`),
    element(
      "ul",
      all.slice(0, LISTED).map((each) => element("li", link(each.id), element("small", whyNot(each, result, link)))),
    ),
    all.length > LISTED && element("p.soft", `${all.length - LISTED} more are in the JSON.`),
    pool(result) > result.evidence.length + all.length && rankedPart(result, link, ranked),
  );
}

/** The total number of candidates. */
function pool(result) {
  return result.trace.hops.at(-1)?.pool ?? 0;
}

/** A button that asks again with a budget for all candidates and shows their ranks. */
function rankedPart(result, link, ranked) {
  const k = Math.min(RANKED, pool(result));
  const place = element("div");
  const look = element("button", { type: "button", on: { click: show } }, `Rank all ${pool(result)} candidates`);
  async function show() {
    await withRetry(place, async () => {
      fill(place, element("p.soft", "Ranking…"));
      const more = await ranked(k);
      const kept = new Set(result.evidence.map((e) => e.passage.id));
      const below = more.evidence.filter((e) => !kept.has(e.passage.id));
      const said = `With a budget of ${k} passages, these ${below.length} follow, each with its rank, score, reason, and scores by signal.`;
      const labels = labelsOf(below.map((e) => e.passage));
      const row = (e) => element("li", link(e.passage.id, labels.get(e.passage.id)), element("small", standing(e, more)));
      fill(place, element("p.soft", { tabindex: -1 }, said), element("ul.met", below.map(row)));
      place.firstChild.focus();
    });
  }
  fill(place, element("p.buttons", look));
  return place;
}

function standing({ rank, score, scores, reason }, result) {
  const signals = Object.entries(scores).map(([signal, value]) => `${signal} ${value.toFixed(2)}`);
  return `rank ${rank}, ${strength(score, result)}; ${reason} (${signals.join(", ")})`;
}

function strength(score, result) {
  return hasChances(result) ? `${percent(score)} likely` : `score ${score.toFixed(2)}`;
}

/** The score a passage had to beat to be in the evidence. */
function bar(result, link) {
  const last = result.evidence.at(-1);
  if (!last || result.short) return "The budget was not used up, so none of these was outranked.";
  return ["The last passage in the evidence is ", link(last.passage.id), ` (${strength(last.score, result)}); these ranked below it.`];
}

function whyNot({ sightings, left, replaced }, result, link) {
  const said = [];
  if (replaced) said.push([`replaced in hop ${replaced.hop} by `, link(replaced.into), `: ${replaced.reason}`]);
  else if (left) said.push([`was in the evidence until hop ${left}, when `, entered(result, left, link), " ranked higher"]);
  else said.push("never selected");
  const best = sightings.reduce((a, b) => (!a || b.rank < a.rank ? b : a), null);
  if (best) said.push(`best rank ${best.rank} by ${best.channel} (${best.score.toFixed(2)}) for ${best.purpose}, hop ${best.hop}`);
  return said.map((t, i) => [i > 0 && "; ", t]);
}

function entered(result, number, link) {
  const hop = result.trace.hops.find((h) => h.number === number);
  const ids = hop.entered.slice(0, 3);
  return ids.length ? ids.map((id, i) => [i > 0 && ", ", link(id)]) : "others";
}
