// The answer: the answer span with its sentence and source, or what is missing.

import { pluralize, element } from "../dom.js";
import { weaknessReason } from "./evidence.js";
import { missingWords } from "./question-match.js";

const OTHERS = 0.3;
/** Codes of notes about a language model, or about sources that disagree. */
const OF_MODEL = ["conflict", "lm-abstained", "lm-failed", "lm-unsupported"];
const FINDINGS = { supported: ["✓", "yes"], contradicted: ["✗", "no"], undecided: ["–", "soft"] };

/**
 * The answer, from sentences or by a language model; `link(id)` makes a link to a passage. While a model is still
 * `writing`, the sentences are shown with a notice.
 */
export function answerPart(result, link, writing = false) {
  const { answer } = result;
  if (!answer || !result.evidence.length) return null;
  return element(
    "section.answer-section",
    { "aria-labelledby": "answer-title" },
    title(answer.kind === "claim" ? "The claim" : "The answer"),
    writing && element("p.soft", "A language model is writing an answer. Meanwhile, from the sentences found:"),
    answer.statements.length > 0 && statements(answer, link),
    !answer.statements.length && (answer.text ? found(answer, link) : missing(result, link)),
    answer.parts.length > 0 && claim(answer.parts, link),
    modelNotes(answer).map((note) => element("p.soft.note-line", note)),
  );
}

/** The unchecked text a language model has written so far, {text, statements}. */
export function writtenPart({ text, statements: said }) {
  return element(
    "section.answer-section.writing",
    { "aria-labelledby": "answer-title", "aria-busy": "true" },
    title("The answer"),
    element("p.answer-text", { dir: "auto" }, element("b", text)),
    said.map((statement) => element("p.statement", { dir: "auto" }, statement)),
    element("p.soft", "A language model is writing this; it will be checked against the passages when complete."),
  );
}

function title(text) {
  return element("h2", { id: "answer-title", tabindex: -1 }, text);
}

function found(answer, link) {
  const [first, ...rest] = answer.sentences;
  const others = rest.filter((s) => s.confidence >= OTHERS);
  return [
    element(
      "p.answer-text",
      { dir: "auto" },
      element("b", answer.text || first.answer?.text || first.quote.text),
      element("small", ` ${sureness(answer.confidence)}, ${Math.round(answer.confidence * 100)} %`),
    ),
    citation(first, link),
    // A verdict is based on all the sentences, so show them all.
    answer.kind === "yes or no" || answer.kind === "claim" ? rest.map((s) => citation(s, link)) : others.length > 0 &&
      element(
        "details",
        element("summary", `${pluralize(others.length, "other sentence")} that may answer it`),
        others.map((s) => [citation(s, link), element("small", `${Math.round(s.confidence * 100)} %`)]),
      ),
  ];
}

function sureness(confidence) {
  return confidence >= 0.7 ? "likely" : confidence >= 0.4 ? "perhaps" : "uncertain";
}

/** A sentence with the answer highlighted, and a link to its passage. */
function citation(sentence, link) {
  const { quote, answer } = sentence;
  return element("p.cited", element("q", { dir: "auto" }, markedAnswer(quote, answer)), " ", link(quote.passage_id));
}

function markedAnswer(quote, answer) {
  // Offsets are in code points; JavaScript strings count UTF-16 units.
  const letters = [...quote.text];
  if (!answer || answer.start < quote.start || answer.end > quote.end) return quote.text;
  const [from, to] = [answer.start - quote.start, answer.end - quote.start];
  return [letters.slice(0, from).join(""), element("mark", letters.slice(from, to).join("")), letters.slice(to).join("")];
}

/** Notes about a language model that answered or failed to. */
function modelNotes({ notes, source, sentences }) {
  const said = notes.filter((n) => source === "language model" || OF_MODEL.includes(n.code)).map((n) => n.text);
  return said.map((n) => `${n[0].toUpperCase()}${n.slice(1)}.`);
}

/** Shown without an answer: the closest sentence, and the question words found in no passage. */
function missing(result, link) {
  const [closest] = result.answer.sentences;
  const words = missingWords(result.question, result.evidence);
  return [
    element(
      "p",
      element("b", closest ? "Not sure. The closest sentence is: " : "No sentence answers this. "),
      weaknessReason(result) && "The evidence below is weak too.",
      words.length > 0 && element("span.soft", ` Not in any passage: ${words.join(", ")}.`),
    ),
    closest && citation(closest, link),
  ];
}

function claim(parts, link) {
  return element(
    "ul.claim-parts",
    parts.map(({ text, finding, sentence }) =>
      element(
        "li",
        element("b", { class: FINDINGS[finding][1] }, `${FINDINGS[finding][0]} ${finding}`),
        element("span", { dir: "auto" }, ` ${text}`),
        sentence && citation(sentence, link),
      ),
    ),
  );
}

function statements(answer, link) {
  return [
    answer.text && element("p.answer-text", { dir: "auto" }, element("b", answer.text)),
    answer.statements.map(({ text, quotes }) =>
      element(
        "p.statement",
        { dir: "auto" },
        text,
        quotes.length
          ? quotes.map((q) => [" [", link(q.passage_id), "]"])
          : element("small.no", " not supported by any passage"),
      ),
    ),
    element("p.soft", "Written by a language model; every cited statement was verified in its passage."),
  ];
}
