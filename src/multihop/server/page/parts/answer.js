// The answer: the words that answer, the sentence they stand in and where, or what is missing.

import { counted, element } from "../dom.js";
import { weaknessOf } from "./evidence.js";
import { inNone } from "./shared.js";

const OTHERS = 0.3;
/** Codes of notes that say what became of a language model. */
const OF_MODEL = ["lm-abstained", "lm-failed", "lm-unsupported"];
const FINDINGS = { supported: ["✓", "yes"], contradicted: ["✗", "no"], undecided: ["–", "soft"] };

/**
 * What was answered, from sentences or by a language model; `link(id)` makes a link to a passage. While a model is still
 * `writing`, that is said, and the sentences stand.
 */
export function answerPart(result, link, writing = false) {
  const { answer } = result;
  if (!answer || !result.evidence.length) return null;
  return element(
    "section.answer-section",
    { "aria-labelledby": "answer-title" },
    title(answer.kind === "claim" ? "The claim" : "The answer"),
    writing && element("p.soft", "A language model is writing an answer. Until then, what sentences say:"),
    answer.statements.length > 0 && statements(answer, link),
    !answer.statements.length && (answer.text ? found(answer, link) : missing(result, link)),
    answer.parts.length > 0 && claim(answer.parts, link),
    told(answer).map((note) => element("p.soft.note-line", note)),
  );
}

/** What a language model has written so far, {text, statements}; nothing of it is checked yet. */
export function writtenPart({ text, statements: said }) {
  return element(
    "section.answer-section.writing",
    { "aria-labelledby": "answer-title", "aria-busy": "true" },
    title("The answer"),
    element("p.answer-text", { dir: "auto" }, element("b", text)),
    said.map((statement) => element("p.statement", { dir: "auto" }, statement)),
    element("p.soft", "Being written by a language model; what it says is checked against the passages when it is done."),
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
    cited(first, link),
    // A mere yes or no follows from all the sentences, so none of them is folded away.
    answer.kind === "yes or no" || answer.kind === "claim" ? rest.map((s) => cited(s, link)) : others.length > 0 &&
      element(
        "details",
        element("summary", `${counted(others.length, "other sentence")} that may answer it`),
        others.map((s) => [cited(s, link), element("small", `${Math.round(s.confidence * 100)} %`)]),
      ),
  ];
}

function sureness(confidence) {
  return confidence >= 0.7 ? "likely" : confidence >= 0.4 ? "perhaps" : "uncertain";
}

/** A sentence with the words that answer marked, and the passage it stands in. */
function cited(sentence, link) {
  const { quote, answer } = sentence;
  return element("p.cited", element("q", { dir: "auto" }, markedAnswer(quote, answer)), " ", link(quote.passage_id));
}

function markedAnswer(quote, answer) {
  // Places are counted in characters, of which some are two units in a text of the browser.
  const letters = [...quote.text];
  if (!answer || answer.start < quote.start || answer.end > quote.end) return quote.text;
  const [from, to] = [answer.start - quote.start, answer.end - quote.start];
  return [letters.slice(0, from).join(""), element("mark", letters.slice(from, to).join("")), letters.slice(to).join("")];
}

/** What is to be known of a model that answered, or did not. */
function told({ notes, source, sentences }) {
  const said = notes.filter((n) => source === "language model" || OF_MODEL.includes(n.code)).map((n) => n.text);
  return said.map((n) => `${n[0].toUpperCase()}${n.slice(1)}.`);
}

/** What is shown without an answer: the closest sentence, and the words of the question that no passage has. */
function missing(result, link) {
  const [closest] = result.answer.sentences;
  const words = inNone(result.question, result.evidence);
  return [
    element(
      "p",
      element("b", closest ? "Not sure. The closest sentence is: " : "No sentence answers this. "),
      weaknessOf(result) && "The evidence below is weak, too.",
      words.length > 0 && element("span.soft", ` No passage has the words ${words.join(", ")}.`),
    ),
    closest && cited(closest, link),
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
        sentence && cited(sentence, link),
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
          : element("small.no", " no passage says so"),
      ),
    ),
    element("p.soft", "Written by a language model; every statement that is cited was found in its passage."),
  ];
}
