// The answer: what was found with its sentences, cited by number; for a claim the verdict; if unsure, the closest sentence.

import { cut, pluralize, element } from "../dom.js";
import { weaknessReason } from "./evidence.js";
import { languageNotice } from "./language.js";
import { citedIn } from "./order.js";
import { missingWords } from "./question-match.js";
import { isOpen, isSure, percentOf } from "./sureness.js";

const OTHERS = 0.3;
/** Characters of the sentence that makes a link. */
const SENTENCE = 190;
/** Codes of notes about a language model, or about sources that disagree. */
const OF_MODEL = ["conflict", "lm-abstained", "lm-failed", "lm-unsupported"];
/** A number with its separators, as a capturing group, so that a text can be split at it. */
const FIGURE = /(\p{N}+(?:[.,]\p{N}+)*)/gu;
const FINDINGS = {
  supported: { sign: "✓", label: "Supported", tone: "yes" },
  contradicted: { sign: "✗", label: "Contradicted", tone: "no" },
  undecided: { sign: "?", label: "Not decided", tone: "soft" },
};

/**
 * The answer, from sentences or by a language model; `cite(id)` makes the numbered link to a passage, `link(id)` one with
 * its title; `chain` are the links that the page shows. While a model is still `writing`, the sentences are shown with a
 * notice.
 */
export function answerPart(result, refs, writing = false) {
  const { answer } = result;
  if (!answer || !result.evidence.length) return null;
  return element(
    "section.answer-section",
    { class: `answer-section ${toneOf(answer)}`, "aria-labelledby": "answer-title" },
    title(answer.kind === "claim" ? "Claim" : "Answer"),
    writing && element("p.soft", "A language model is writing an answer. Meanwhile, from the sentences found:"),
    answerBody(result, refs),
    modelNotes(answer).map((note) => element("p.soft.note-line", note)),
    !writing && answer.answered && refs.feedback?.(citedIn(answer)),
  );
}

/** The unchecked text a language model has written so far, {text, statements}. */
export function writtenPart({ text, statements: said }) {
  return element(
    "section.answer-section.writing",
    { "aria-labelledby": "answer-title", "aria-busy": "true" },
    title("Answer"),
    element("p.answer-text", { dir: "auto" }, element("b", text)),
    said.map((statement) => element("p.statement", { dir: "auto" }, statement)),
    element("p.soft", "A language model is writing this; it will be checked against the passages when complete."),
  );
}

/** An answer from one reading, before each step of the question is read; never shown as a sure one. */
export function uncheckedPart({ text, sentences: [first] }, refs) {
  return element(
    "section.answer-section.writing",
    { "aria-labelledby": "answer-title", "aria-busy": "true" },
    title("Draft answer"),
    element("p.answer-text", { dir: "auto" }, element("span.guessed", "Possibly "), text),
    citation(first, refs),
    element("p.soft", "Not checked yet: each step of the question is being read."),
  );
}

/** The two sides of a comparison or of a yes-or-no question about two things: the first sentence of each passage. */
export function sidesOf({ kind, text, sentences }) {
  if (!text || (kind !== "one of several" && kind !== "yes or no")) return [];
  const sides = [...new Map(sentences.toReversed().map((s) => [s.quote.passage_id, s])).values()].toReversed();
  return sides.length === 2 ? sides : [];
}

function toneOf({ kind, text, confidence, statements }) {
  if (statements.length) return "sure";
  if (kind === "claim") return `${text || "undecided"}${isOpen(text) || isSure(confidence) ? "" : " guess"}`;
  return !text ? "unsure" : isSure(confidence) ? "sure" : "guess";
}

/** The answer without its frame and title. */
export function answerBody(result, refs) {
  const { answer } = result;
  if (answer.statements.length) return [statements(answer, refs), partList(answer.parts, refs)];
  if (answer.kind === "claim") return [verdict(result, refs), partList(answer.parts, refs)];
  if (!answer.text) return unsure(result, refs);
  const sides = sidesOf(answer);
  return sides.length ? comparison(answer, sides, refs) : found(answer, refs);
}

function title(text) {
  return element("h2", { id: "answer-title", tabindex: -1 }, text);
}

/** The answer in large letters, with its probability; a guess is introduced as one. The sentences below it are cited. */
function headline({ kind, text, confidence, sentences }) {
  const guess = !isSure(confidence);
  const said = kind === "yes or no" && !guess ? `${text[0].toUpperCase()}${text.slice(1)}` : text;
  return element(
    "p.answer-text",
    { dir: "auto" },
    guess && element("span.guessed", "Possibly "),
    element("b", said),
    likely(confidence, sidesOf({ kind, text, sentences }).length),
  );
}

/** The probability; a guess from one or both `sides` asks to be checked. */
function likely(confidence, sides = 0) {
  const check = isSure(confidence) ? "" : `. Check the ${sides > 1 ? "sentences" : "sentence"}`;
  // The space is for copied text and screen readers, where "55" and "87 %" would be one number.
  return [" ", element("small.sureness", `${percentOf(confidence)} % likely${check}`)];
}

function found(answer, refs) {
  const [first, ...rest] = answer.sentences;
  // A verdict or a comparison is based on all the sentences, so show them all.
  const all = answer.kind === "yes or no" || answer.kind === "one of several";
  const others = all ? [] : rest.filter((s) => s.confidence >= OTHERS);
  return [
    headline(answer),
    [first, ...(all ? rest : [])].map((s) => citation(s, refs)),
    more(others, pluralize(others.length, "other sentence") + " that may answer it", refs),
  ];
}

/** Both sides of a comparison next to each other; the winner is marked. */
function comparison(answer, sides, refs) {
  const named = (s) => s.title.toLowerCase().includes(answer.text.toLowerCase()) || answer.text.toLowerCase().includes(s.title.toLowerCase());
  const [first, second] = sides;
  const winner = answer.kind === "one of several" && named(first) !== named(second) ? sides.find(named) : undefined;
  const side = (s) =>
    element(
      "div",
      { class: `versus-side ${s === winner ? "won" : ""}`, "data-id": s.quote.passage_id },
      element("h3", { dir: "auto" }, refs.link(s.quote.passage_id), s === winner && isSure(answer.confidence) && element("span.won-mark", " ✓")),
      s.answer && s.answer.text !== answer.text && element("p.versus-value", { dir: "auto" }, s.answer.text),
      citation(s, refs),
    );
  const sentences = answer.sentences.filter((s) => !sides.includes(s));
  return [
    headline(answer),
    element("div.versus", sides.map(side)),
    more(sentences, pluralize(sentences.length, "other sentence") + " for it", refs),
    element("p.both", refs.both(first.quote.passage_id, second.quote.passage_id)),
  ];
}

function verdict({ question, answer: { text, confidence, sentences } }, refs) {
  const { sign, label, tone } = FINDINGS[text || "undecided"];
  const [first, ...rest] = sentences;
  const open = isOpen(text);
  const guess = !open && !isSure(confidence);
  return [
    element(
      "p.answer-text",
      guess
        ? [element("span.guessed", "Possibly "), element("b", { class: tone }, label.toLowerCase())]
        : element("b", { class: tone }, element("span.sign", { "aria-hidden": "true" }, sign), ` ${label}`),
      !open && likely(confidence),
    ),
    open && element("p.soft", first ? "No sentence supports or contradicts it. The closest is:" : "No sentence supports or contradicts it."),
    first && (text === "contradicted" ? contradiction(first, question, refs) : citation(first, refs)),
    !open && more(rest, `${pluralize(rest.length, "more sentence")} for it`, refs),
  ];
}

/** Sentences folded under a label. */
function more(sentences, label, refs) {
  if (!sentences.length) return null;
  return element("details", element("summary", label), sentences.map((s) => citation(s, refs)));
}

/** A sentence with the answer highlighted, and the number of its passage. */
function citation({ quote, answer }, { cite }) {
  return element("p.cited", element("q", { dir: "auto" }, markedAnswer(quote, answer)), "\u00a0", cite(quote.passage_id));
}

/** A sentence that contradicts a claim, with its other figures highlighted. */
function contradiction({ quote }, claim, { cite }) {
  const said = new Set(claim.match(FIGURE));
  const marked = quote.text.split(FIGURE).map((part, i) => (i % 2 && said.size && !said.has(part) ? element("mark", part) : part));
  return element("p.cited", element("q", { dir: "auto" }, marked), "\u00a0", cite(quote.passage_id));
}

function markedAnswer(quote, answer) {
  // Offsets are in code points; JavaScript strings count UTF-16 units.
  const letters = [...quote.text];
  if (!answer || answer.start < quote.start || answer.end > quote.end) return quote.text;
  const [from, to] = [answer.start - quote.start, answer.end - quote.start];
  return [letters.slice(0, from).join(""), element("mark", letters.slice(from, to).join("")), letters.slice(to).join("")];
}

/** Notes about a language model that answered or failed to. */
function modelNotes({ notes, source }) {
  const said = notes.filter((n) => source === "language model" || OF_MODEL.includes(n.code)).map((n) => n.text);
  return said.map((n) => `${n[0].toUpperCase()}${n.slice(1)}.`);
}

/** Shown without an answer: the closest sentence with nothing marked in it, the link to it, and words in no passage. */
function unsure(result, refs) {
  const [closest] = result.answer.sentences;
  const words = languageNotice(result) ? [] : missingWords(result.question, result.evidence);
  const onward = refs.chain?.filter((l) => l.source) ?? [];
  const last = onward.find((l) => l.target === closest?.quote.passage_id) ?? onward.at(-1);
  return [
    element(
      "p",
      element("b", closest ? "Not sure. " : "No sentence answers this. "),
      weaknessReason(result) && "The evidence is weak too. ",
      words.length > 0 && `Not in any passage: ${words.join(", ")}. `,
      closest && "The closest sentence is:",
    ),
    closest && citation({ quote: closest.quote }, refs),
    last && element("p.soft.last-link", "The chain ends at ", refs.link(last.target), ": ", element("q", { dir: "auto" }, cut(last.quote.text, SENTENCE))),
  ];
}

/** What a claim states, one by one. */
function partList(parts, refs) {
  if (!parts.length) return null;
  return element(
    "ul.claim-parts",
    parts.map(({ text, finding, sentence }) =>
      element(
        "li",
        element("b", { class: FINDINGS[finding].tone }, `${FINDINGS[finding].sign} ${FINDINGS[finding].label.toLowerCase()}`),
        element("span", { dir: "auto" }, ` ${text}`),
        sentence && citation(sentence, refs),
      ),
    ),
  );
}

function statements(answer, { cite }) {
  return [
    answer.text && element("p.answer-text", { dir: "auto" }, element("b", answer.text)),
    answer.statements.map(({ text, quotes }) =>
      element(
        "p.statement",
        { dir: "auto" },
        text,
        " ",
        quotes.length
          ? [...new Set(quotes.map((q) => q.passage_id))].map(cite)
          : element("small.no", "not supported by any passage"),
      ),
    ),
    element("p.soft", "Written by a language model; every cited statement was verified in its passage."),
  ];
}
