// The evidence: the chain first, then what supports it, then, folded, what only fills the budget. Each passage says why.

import { counted, element } from "../dom.js";
import { howLinked, leadingSentence, partsAlong } from "./chain.js";
import { finderFor, marked, withWords } from "./highlight.js";
import { cameIn } from "./hops.js";
import { keepingPart } from "./keeping.js";
import { documentOf, placeOf } from "./labels.js";
import { metadataLine } from "./metadata.js";
import { numbersOf, partedBy } from "./order.js";
import { askedWords, hasChances, inNone, partFor, sharedWith } from "./shared.js";

const LONG = 600;
const SHOWN = 50;
const STRONG = 0.5;
const WEAK = 0.15;
const MOST_MISSING = 0.6;
const WORDS_REASON = "shares words with the question";
const WORDS_NAMED = 8;

/** The evidence of a result in its three parts; passages are opened and kept by `page`. */
export function evidenceList(result, chain, page) {
  const hrefOf = page.passageHref;
  if (!result.evidence.length)
    return element("p.soft", "No passage was found. Ask with other words, or loosen the filter.");
  const parts = partedBy(result, chain);
  const about = {
    page, result, chain, hrefOf, terms: finderFor(result), most: mostBySignal(result.evidence), hops: cameIn(result),
    numbers: numbersOf(result, chain), along: partsAlong(result, chain),
  };
  const list = (evidence) => cardList(evidence, about);
  const weak = weaknessOf(result);
  return [
    weak && element("p.notice.weak", `This is weak evidence: ${weak}. The index may not hold the answer.`),
    parts.chain.length > 0 && list(parts.chain),
    parts.supporting.length > 0 && [element("h3.part-title", "Supports it"), list(parts.supporting)],
    parts.filling.length > 0 &&
      element(
        "details.filling",
        element("summary", `Probably not needed: ${counted(parts.filling.length, "passage")}`),
        element("p.soft", "They are here because the budget had room; nothing leads to them from the chain."),
        list(parts.filling),
      ),
  ];
}

/** Why the evidence is weak: nothing here is likely to be it, or most of what was asked stands in no passage. */
export function weaknessOf(result) {
  if (!result.evidence.length) return "";
  const best = Math.max(...result.evidence.map((e) => e.score));
  const missing = inNone(result.question, result.evidence);
  const asked = askedWords(result.question).size;
  if (hasChances(result) && best < WEAK) return `the best passage has a chance of ${percent(best)} to be what was asked for`;
  return asked > 1 && missing.length >= asked * MOST_MISSING ? `no passage has ${missing.map((w) => `“${w}”`).join(", ")}` : "";
}

function cardList(evidence, about) {
  const list = element("ol.evidence");
  // The button may be gone then: the keyboard goes on with the first of the new cards.
  const more = element("button", { type: "button", on: { click: () => add().querySelector("a").focus() } });
  function add() {
    const cards = evidence.slice(list.childElementCount, list.childElementCount + SHOWN).map((e) => card(e, about));
    list.append(...cards);
    more.textContent = `Show more (${list.childElementCount} of ${evidence.length} shown)`;
    more.hidden = list.childElementCount === evidence.length;
    return cards[0];
  }
  add();
  return [list, more];
}

function card(evidence, { page, result, chain, hrefOf, terms, most, hops, numbers, along }) {
  const { passage } = evidence;
  const hop = hops.get(passage.id) ?? evidence.hop;
  const shared = sharedWith(result, passage);
  const link = chain.links.find((l) => l.target === passage.id);
  const part = partFor(result, passage);
  return element(
    "li",
    { class: `card h${hop % 8}`, id: `rank-${evidence.rank}`, "data-id": passage.id },
    element("span.rank", { title: `ranked ${evidence.rank} of ${result.evidence.length}` }, numbers.get(passage.id)),
    element(
      "div.about",
      element(
        "h3",
        { dir: "auto" },
        element("a", { href: hrefOf(passage.id) }, passage.title || passage.document_id),
        heading(passage),
      ),
      link && reached(link, result, hrefOf),
      element("p.reason", hopBadge(hop), " ", reasonPart(evidence.reason, shared.said)),
      part && element("p.reason", "speaks to ", element("q", { dir: "auto" }, part)),
      !part && along.get(passage.id) && leftPart(along.get(passage.id)),
      body(passage, withWords(terms, shared.forms), hrefOf),
      metadataLine(passage.metadata),
      signals(evidence, most, hasChances(result), Boolean(link?.source)),
      keepingPart(page, passage, result.question),
    ),
  );
}

/** The sentence by which the chain reaches a passage. */
function reached(link, result, hrefOf) {
  if (link.kind === "words" || link.kind === "named") return null;
  const source = result.evidence.find((e) => e.passage.id === link.source)?.passage;
  return element(
    "p.reached",
    element("a", { href: hrefOf(link.source) }, source?.title || documentOf(link.source)),
    ` ${howLinked(link)}: `,
    element("q", { dir: "auto" }, leadingSentence(link)),
  );
}

/** The part of the question that no passage speaks to by its words, told of the passage that the chain leads to. */
function leftPart(part) {
  return element("p.reason", "the chain leads here for ", element("q", { dir: "auto" }, part), ", which no passage says in these words");
}

/** The reason, with the shared words named where it only says that there are some. */
export function reasonPart(reason, said) {
  if (!said.length) return reason;
  const named = said.slice(0, WORDS_NAMED).flatMap((word, i) => [i > 0 && ", ", element("mark", word)]);
  const more = said.length > WORDS_NAMED ? ` and ${said.length - WORDS_NAMED} more` : "";
  const parts = reason.split("; ");
  const told = parts.includes(WORDS_REASON) ? parts : [...parts, WORDS_REASON];
  return told.map((p, i) => [i > 0 && "; ", p === WORDS_REASON ? ["shares ", named, more, " with the question"] : p]);
}

function heading({ id, position, heading: below, page }) {
  const parts = [position > 0 && ` ${placeOf(id)}`, below && ` › ${below}`, page && `, p. ${page}`];
  return parts.filter(Boolean).map((part) => element("span.soft.heading", part));
}

/** A badge that says with which hop something came in. */
export function hopBadge(hop) {
  // There are eight colors; later hops begin with the first again.
  return element("span", { class: `hop-badge h${hop % 8}` }, `hop ${hop}`);
}

function body(passage, terms, hrefOf) {
  const text = element("p.text", { dir: "auto" }, marked(passage.text, terms, passage.id, hrefOf));
  if (passage.text.length <= LONG) return text;
  text.classList.add("clamped");
  const button = element("button.quiet", { type: "button", "aria-expanded": "false", on: { click: toggle } }, "Show in full");
  function toggle() {
    const open = text.classList.toggle("clamped") === false;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Show less" : "Show in full";
  }
  return [text, button];
}

/**
 * The score, as a chance where it is one, and below it the scores by signal against the best of this result. Of a passage
 * that another one `led` to it is said that a low chance is that of the passage alone.
 */
export function signals(evidence, most, chances, led = false) {
  const rows = Object.entries(evidence.scores);
  return element(
    "details.scores",
    element(
      "summary",
      { class: strengthOf(evidence.score, chances) },
      chances ? [bar(evidence.score), chanceOf(evidence.score, led)] : `score ${evidence.score.toFixed(2)}`,
    ),
    element("p.soft", "Scores by signal; a bar is full at the best of this answer."),
    element(
      "ul.signals",
      rows.map(([signal, score]) =>
        element("li", element("span", signal), bar(share(score, most[signal])), element("b", number(score))),
      ),
    ),
  );
}

function chanceOf(score, led) {
  const strength = strengthOf(score, true);
  return `${strength}${led && strength === "weak" ? " by itself" : ""}: a chance of ${percent(score)}`;
}

function strengthOf(score, chances) {
  if (!chances) return "";
  return score >= STRONG ? "strong" : score >= WEAK ? "possible" : "weak";
}

/** A bar that is filled to a part, from 0 to 1. */
export function bar(part) {
  return element("span.bar", { "aria-hidden": "true", vars: { share: part } });
}

/** The best score of every signal. */
export function mostBySignal(evidence) {
  const most = {};
  for (const { scores } of evidence) {
    for (const [signal, score] of Object.entries(scores)) most[signal] = Math.max(most[signal] ?? 0, score);
  }
  return most;
}

function share(score, most) {
  return most > 0 ? Math.max(0, Math.min(1, score / most)).toFixed(3) : 0;
}

/** A chance as a person reads it. */
export function percent(score) {
  return score < 0.01 ? "less than 1 %" : `${Math.round(score * 100)} %`;
}

function number(score) {
  return Math.abs(score) >= 10 ? score.toFixed(1) : score.toFixed(2);
}
