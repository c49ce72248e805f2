// The answer: the words that answer, the sentence they stand in and where, or what is missing.

import { counted, element } from "../dom.js";
import { inNone } from "./shared.js";

const OTHERS = 0.3;
const FINDINGS = { supported: ["✓", "yes"], contradicted: ["✗", "no"], "nothing found": ["–", "soft"] };

/** What was answered, from sentences or by a language model; `link(id)` makes a link to a passage. */
export function answerPart(result, link) {
  const { answer } = result;
  if (!answer || !result.evidence.length) return null;
  return element(
    "section",
    { class: "answer-section", "aria-labelledby": "answer-title" },
    element("h2", { id: "answer-title", tabindex: -1 }, answer.kind === "claim" ? "The claim" : "The answer"),
    answer.statements.length > 0 && statements(answer, link),
    answer.parts.length > 0 && claim(answer.parts, link),
    !answer.statements.length && !answer.parts.length && (answer.sentences.length ? found(answer, link) : missing(result)),
  );
}

function found(answer, link) {
  const [first, ...rest] = answer.sentences;
  const others = rest.filter((s) => s.confidence >= OTHERS);
  return [
    element(
      "p",
      { class: "answer-text", dir: "auto" },
      element("b", {}, answer.text || first.answer?.text || first.quote.text),
      element("small", {}, ` ${sureness(answer.confidence)}, ${Math.round(answer.confidence * 100)} %`),
    ),
    cited(first, link),
    others.length > 0 &&
      element(
        "details",
        {},
        element("summary", {}, `${counted(others.length, "other sentence")} that may answer it`),
        others.map((s) => [cited(s, link), element("small", {}, `${Math.round(s.confidence * 100)} %`)]),
      ),
  ];
}

function sureness(confidence) {
  return confidence >= 0.7 ? "likely" : confidence >= 0.4 ? "perhaps" : "uncertain";
}

/** A sentence with the words that answer marked, and the passage it stands in. */
function cited(sentence, link) {
  const { quote, answer } = sentence;
  return element("p", { class: "cited" }, element("q", { dir: "auto" }, markedAnswer(quote, answer)), " ", link(quote.passage_id));
}

function markedAnswer(quote, answer) {
  // Places are counted in characters, of which some are two units in a text of the browser.
  const letters = [...quote.text];
  if (!answer || answer.start < quote.start || answer.end > quote.end) return quote.text;
  const [from, to] = [answer.start - quote.start, answer.end - quote.start];
  return [letters.slice(0, from).join(""), element("mark", {}, letters.slice(from, to).join("")), letters.slice(to).join("")];
}

function missing(result) {
  const words = inNone(result.question, result.evidence);
  return element(
    "p",
    {},
    element("b", {}, "No sentence answers this surely enough. "),
    "The chain below is what leads there; read its last passage.",
    words.length > 0 && element("span", { class: "soft" }, ` No passage has the words ${words.join(", ")}.`),
  );
}

function claim(parts, link) {
  return element(
    "ul",
    { class: "claim-parts" },
    parts.map(({ text, finding, sentence }) =>
      element(
        "li",
        {},
        element("b", { class: FINDINGS[finding][1] }, `${FINDINGS[finding][0]} ${finding}`),
        element("span", { dir: "auto" }, ` ${text}`),
        sentence && cited(sentence, link),
      ),
    ),
  );
}

function statements(answer, link) {
  return [
    answer.statements.map(({ text, quotes }) =>
      element(
        "p",
        { class: "statement", dir: "auto" },
        text,
        quotes.length
          ? quotes.map((q) => [" [", link(q.passage_id), "]"])
          : element("small", { class: "no" }, " no passage says so"),
      ),
    ),
    element("p", { class: "soft" }, "Written by a language model; every statement that is cited was found in its passage."),
  ];
}
