// Detects a question in another language than its evidence, by scripts and frequent function words.

import { element } from "../dom.js";
import { wordsOf } from "./question-match.js";

const SMALL_WORDS = Object.entries({
  en: "the of and is was in which who what when where how to did by for from with that",
  de: "der die das und ist war in welche welcher welches wer was wann wo wie zu hat von für aus mit dass den dem ein eine wurde",
  fr: "le la les et est était dans quel quelle qui que quand où comment à a par pour de du des avec une un",
  es: "el la los las y es era en cuál qué quién cuándo dónde cómo a por para de del con una un fue",
  it: "il lo la gli le e è era in quale che chi quando dove come a da per di del della con una un",
  nl: "de het en is was in welke wie wat wanneer waar hoe naar heeft van voor uit met dat een werd",
  pt: "o a os as e é era em qual que quem quando onde como por para de do da com uma um foi",
}).map(([language, words]) => [language, new Set(words.split(" "))]);
const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Han", "Hangul", "Thai"];
/** Scripts that are mixed in one text, as in Japanese. */
const MIXED = { Han: ["Han", "Hiragana", "Katakana"] };
const LEAST = 2;
const SAMPLE = 2000;

/** The language of a text by its function words; "" if no language clearly prevails. */
export function languageOf(text) {
  const words = wordsOf(text.slice(0, SAMPLE)).map((w) => w.toLowerCase());
  const counts = SMALL_WORDS.map(([language, small]) => [words.filter((w) => small.has(w)).length, language]);
  const [[most, language], [next]] = counts.sort(([a], [b]) => b - a);
  return most >= LEAST && most >= next * 1.5 && most >= words.length * 0.15 ? language : "";
}

/** The script of most letters of a text, "" if there are none. */
function scriptOf(text) {
  const sample = text.slice(0, SAMPLE);
  const pattern = (script) => new RegExp(`[${(MIXED[script] ?? [script]).map((s) => `\\p{Script=${s}}`).join("")}]`, "gu");
  const counts = SCRIPTS.map((script) => [(sample.match(pattern(script)) ?? []).length, script]);
  const [most, script] = counts.reduce((a, b) => (b[0] > a[0] ? b : a));
  return most ? script : "";
}

/** A notice for a question in another language or script than its evidence, or null. */
export function languageNotice({ question, evidence }) {
  const text = evidence.map((e) => e.passage.text).join("\n");
  const name = (code) => new Intl.DisplayNames("en", { type: "language" }).of(code);
  const [asked, found] = [languageOf(question), languageOf(text)];
  const [written, read] = [scriptOf(question), scriptOf(text)];
  if (asked && found && asked !== found)
    return element("p.notice", `The question seems to be in ${name(asked)}, the documents in ${name(found)}. Ask in ${name(found)} to find more.`);
  if (written && read && written !== read)
    return element("p.notice", `The question is written in another script (${written}) than the documents (${read}).`);
  return null;
}
