// Matches between question and passages: shared words and names, and the relevant part of the question.

import { UNSPACED } from "./highlight.js";

const STOPPED = new Set(
  ("a about after all also an and any are as at be because been before being between both but by can did do does during each " +
    "for from had has have he her him his how if in into is it its many more most much no not of on one or other our out over " +
    "same she so some such than that the their them then there these they this those through to towards under until up was " +
    "we were what when where which while who whom whose why will with would you your").split(" "),
);
// Longer ones first: “cities” ends with “ies” before it ends with “s”.
const ENDINGS = ["ing", "ies", "ed", "es", "s"];
const SPACELESS = new RegExp(`[${UNSPACED}]`, "u");

/** The words of a text. */
export function wordsOf(text) {
  if (!SPACELESS.test(text)) return text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)]
    .filter((s) => s.isWordLike)
    .map((s) => s.segment);
}

/** The stem of a word: "ships" and "ship" have the same. */
export function stemOf(word) {
  const plain = word.toLowerCase();
  const ending = ENDINGS.find((e) => plain.endsWith(e) && plain.length - e.length >= 3);
  // “shipping” has one p too many then; “city” and “cities”, “name” and “named” differ by an e or y.
  return (ending ? plain.slice(0, -ending.length) : plain).replace(/(\p{L})\1$/u, "$1").replace(/[ey]$/, "");
}

/** The words of a text without stop words. */
function contentWords(text) {
  return wordsOf(text).filter((w) => !STOPPED.has(w.toLowerCase()) && (w.length > 1 || SPACELESS.test(w)));
}

/** The content words of a question: stem → word, in order. */
export function questionWords(text) {
  const found = new Map();
  for (const word of contentWords(text)) if (!found.has(stemOf(word))) found.set(stemOf(word), word);
  return found;
}

/** Words and names shared by question and passage: {said: as in the question, forms: as in the passage}. */
export function matchedWords(result, passage) {
  const asked = questionWords(result.question);
  const forms = matchedForms(`${passage.title} ${passage.text}`, asked);
  const found = new Set(forms.map(stemOf));
  const whole = namesOf(result).filter((name) => holds(passage, name));
  const inNames = new Set(whole.flatMap((name) => wordsOf(name).map(stemOf)));
  const single = [...asked].filter(([stem]) => found.has(stem) && !inNames.has(stem)).map(([, word]) => word);
  return { said: [...whole, ...single], forms };
}

/** The words of a text that match question words (stem → word), as written in the text. */
export function matchedForms(text, asked) {
  return [...new Set(contentWords(text).filter((word) => asked.has(stemOf(word))))];
}

/** The names in the question. */
function namesOf(result) {
  const { entities } = result.trace.plan;
  return [...new Set(entities.map((e) => e.text).filter((t) => wordsOf(t).length > 1))];
}

function holds(passage, name) {
  return `${passage.title} ${passage.text}`.toLowerCase().includes(name.toLowerCase());
}

/** The sub-questions or aspects of a question; none if it was not decomposed. */
export function partsOf(result) {
  const { sub_questions: parts, aspects } = result.trace.plan;
  const shown = parts.length ? parts : aspects.map((a) => a.text);
  return shown.length > 1 ? shown : [];
}

/** Word overlap of a passage with a part of the question: {share, missing}. */
export function matchOf(part, passage) {
  const asked = questionWords(part);
  const there = new Set(contentWords(`${passage.title} ${passage.text}`).map(stemOf));
  const missing = [...asked].filter(([stem]) => !there.has(stem)).map(([, word]) => word);
  return { share: asked.size ? 1 - missing.length / asked.size : 0, missing };
}

/** The words of a text that occur in no passage. */
export function missingWords(text, evidence) {
  const missing = evidence.map((e) => new Set(matchOf(text, e.passage).missing));
  return [...questionWords(text).values()].filter((word) => missing.every((m) => m.has(word)));
}

/** The part of the question that a passage matches best, or nothing. */
export function partFor(result, passage) {
  const rated = partsOf(result).map((part) => ({ part, share: matchOf(part, passage).share }));
  const best = rated.reduce((a, b) => (b.share > a.share ? b : a), { share: 0 });
  return best.share >= 0.25 ? best.part : undefined;
}

/** Whether scores are calibrated probabilities; other rankings use their own scales. */
export function hasChances(result) {
  return Boolean(result.calibrated);
}
