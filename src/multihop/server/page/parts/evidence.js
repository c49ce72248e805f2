// The evidence: chain, then supporting passages, then other results (folded), each with its reason.

import { pluralize, element } from "../dom.js";
import { linkLabel, leadingSentence, partsAlong } from "./chain.js";
import { finderFor, highlight, withWords } from "./highlight.js";
import { cameIn } from "./hops.js";
import { saveControls } from "./save-controls.js";
import { documentOf, placeOf } from "./labels.js";
import { metadataLine } from "./metadata.js";
import { numbersOf, groupByRole } from "./order.js";
import { reflow } from "./reflow.js";
import { questionWords, hasChances, missingWords, partFor, matchedWords } from "./question-match.js";

const LONG = 320;
const SHOWN = 50;
const STRONG = 0.7;
const WEAK = 0.15;
const MOST_MISSING = 0.6;
const WORDS_NAMED = 8;

/** The evidence of a result in three groups; `page` opens and saves passages. */
export function evidenceList(result, chain, page) {
  const hrefOf = page.passageHref;
  if (!result.evidence.length) return element("p.soft", "No passages found. Rephrase the question, or remove filters if there are any.");
  const parts = groupByRole(result, chain);
  const about = {
    page, result, chain, hrefOf, terms: finderFor(result), most: mostBySignal(result.evidence), hops: cameIn(result),
    numbers: numbersOf(result, chain), along: partsAlong(result, chain),
  };
  const list = (evidence) => cardList(evidence, about);
  const weak = weaknessReason(result);
  return [
    weak && element("p.notice.weak", `This is weak evidence: ${weak}. The index may not contain the answer.`),
    parts.chain.length > 0 && list(parts.chain),
    parts.supporting.length > 0 && [element("h3.part-title", "Supporting passages"), list(parts.supporting)],
    parts.filling.length > 0 &&
      element(
        "details.filling",
        element("summary", `Probably not needed: ${pluralize(parts.filling.length, "passage")}`),
        element("p.soft", "Other results within the budget; the chain does not lead to them."),
        list(parts.filling),
      ),
  ];
}

/** Why the evidence is weak: low probabilities, or most question words are in no passage. */
export function weaknessReason(result) {
  if (!result.evidence.length) return "";
  const best = Math.max(...result.evidence.map((e) => e.score));
  const missing = missingWords(result.question, result.evidence);
  const asked = questionWords(result.question).size;
  if (hasChances(result) && best < WEAK) return `the best passage is only ${percent(best)} likely to be relevant`;
  return asked > 1 && missing.length >= asked * MOST_MISSING ? `no passage contains ${missing.map((w) => `“${w}”`).join(", ")}` : "";
}

function cardList(evidence, about) {
  const list = element("ol.evidence");
  // The button may disappear, so move the focus to the first new card.
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
  const shared = matchedWords(result, passage);
  const link = chain.links.find((l) => l.target === passage.id);
  const part = partFor(result, passage);
  const quote = result.answer?.sentences.find((s) => s.quote.passage_id === passage.id)?.quote;
  const [text, button] = body(passage, withWords(terms, shared.forms), hrefOf, quote);
  const reasons = [
    link && linkSentence(link, result, hrefOf),
    element("p.reason", hopBadge(hop), " ", reasonPart(evidence, shared.said)),
    part && element("p.reason", "relevant to ", element("q", { dir: "auto" }, part)),
    !part && along.get(passage.id) && leftPart(along.get(passage.id)),
    metadataLine(passage.metadata, passage.id),
  ];
  return element(
    "li",
    { class: `card ${link ? "in-chain" : ""}`, id: `rank-${evidence.rank}`, tabindex: -1, "data-id": passage.id },
    element("span.rank", numbers.get(passage.id)),
    element(
      "div.about",
      element(
        "h3",
        { dir: "auto" },
        element("a", { href: hrefOf(passage.id) }, passage.title || passage.document_id),
        heading(passage),
      ),
      text,
      element("div.card-foot", button, signals(evidence, most, hasChances(result), Boolean(link?.source), reasons), saveControls(page, passage, result.question)),
    ),
  );
}

/** The sentence by which the chain leads to a passage. */
function linkSentence(link, result, hrefOf) {
  if (link.kind === "words" || link.kind === "named") return null;
  const source = result.evidence.find((e) => e.passage.id === link.source)?.passage;
  return element(
    "p.reached",
    element("a", { href: hrefOf(link.source) }, source?.title || documentOf(link.source)),
    ` ${linkLabel(link)}: `,
    element("q", { dir: "auto" }, leadingSentence(link)),
  );
}

/** A part of the question that no passage matches, shown at the passage the chain leads to. */
function leftPart(part) {
  return element("p.reason", "the chain leads here for ", element("q", { dir: "auto" }, part), ", which no passage matches word for word");
}

/** The reasons for a passage, with the matched words listed. */
export function reasonPart({ reason, because = [] }, said) {
  const named = said.slice(0, WORDS_NAMED).flatMap((word, i) => [i > 0 && ", ", element("mark", word)]);
  const more = said.length > WORDS_NAMED ? ` and ${said.length - WORDS_NAMED} more` : "";
  const matches = said.length > 0 && ["matches: ", named, more];
  const own = because.length ? because : [{ text: reason }];
  const shown = own.map(({ text, channel, via }) => {
    if (channel === "name") return `named in the question: ${via}`;
    return channel === "bm25" && matches ? matches : text;
  });
  if (matches && !shown.includes(matches)) shown.push(matches);
  return shown.map((part, i) => [i > 0 && "; ", part]);
}

function heading({ id, position, heading: below, page }) {
  const parts = [position > 0 && ` ${placeOf(id)}`, below && ` › ${below}`, page && `, p. ${page}`];
  return parts.filter(Boolean).map((part) => element("span.soft.heading", part));
}

/** A badge with the hop in which a passage was added. */
export function hopBadge(hop) {
  return element("span.hop-badge", `hop ${hop}`);
}

/** The text of a passage; a long one is clamped, and begins with the quoted sentence if that would be cut off. */
function body(passage, terms, hrefOf, quote) {
  const whole = reflow(passage.text);
  const written = (part) => highlight(part.replace(/\n\s*\n/g, "\n"), terms, passage.id, hrefOf);
  const long = whole.length > LONG;
  // Offsets are in code points; JavaScript strings count UTF-16 units.
  const from = long && quote?.end > LONG ? [...whole].slice(0, quote.start).join("").length : 0;
  const text = element("p.text", { dir: "auto" }, from > 0 && element("span.before", written(whole.slice(0, from))), written(whole.slice(from)));
  if (!long) return [text];
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
 * The score, as a probability if calibrated; unfolded, the `reasons` for the passage and its scores by signal relative to
 * the best of this result. For a passage that another one `led` to, a low probability is labeled as that of the passage
 * by itself.
 */
export function signals(evidence, most, chances, led = false, reasons = []) {
  const rows = Object.entries(evidence.scores);
  return element(
    "details.scores",
    element(
      "summary",
      { class: strengthOf(evidence.score, chances) },
      chances ? [bar(evidence.score), chanceOf(evidence.score, led)] : `score ${evidence.score.toFixed(2)}`,
    ),
    reasons,
    element("p.soft", "Scores by signal, relative to the best passage of this answer."),
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
  return `${strength}${led && strength === "weak" ? " by itself" : ""}: ${percent(score)} likely`;
}

function strengthOf(score, chances) {
  if (!chances) return "";
  return score >= STRONG ? "strong" : score >= WEAK ? "possible" : "weak";
}

/** A bar filled to a fraction from 0 to 1. */
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

/** Format a probability for people. */
export function percent(score) {
  return score < 0.01 ? "less than 1 %" : score > 0.99 ? "over 99 %" : `${Math.round(score * 100)} %`;
}

function number(score) {
  return Math.abs(score) >= 10 ? score.toFixed(1) : score.toFixed(2);
}
