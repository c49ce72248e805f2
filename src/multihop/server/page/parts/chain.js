// The chain as a strip: from the question to the last passage, with the linking words at every arrow.

import { cut, element } from "../dom.js";
import { placeOf } from "./labels.js";
import { numbersOf, rowsOf } from "./order.js";
import { partFor, partsOf } from "./question-match.js";

const SENTENCE = 190;
// There is less space at an arrow, and the linking words must not be cut off.
const AT_ARROW = 130;

/** The strip of a result, or null if no chain was found. */
export function chainStrip(result, chain, hrefOf) {
  if (!chain.links.length) return null;
  const evidence = new Map(result.evidence.map((e) => [e.passage.id, e]));
  const numbers = numbersOf(result, chain);
  const step = (link) => stepPart(link, { evidence, hrefOf, numbers, answer: answerIn(result) });
  return element(
    "div.chain",
    rowsOf(linksTo(result, chain)).map((row) => element("ol.chain-row", beginning(row[0], evidence, hrefOf), row.map(step))),
  );
}

/** The links that lead to the answer; all of them if the chain does not. */
export function linksTo(result, { links }) {
  const { id } = answerIn(result);
  const into = new Map(links.map((link) => [link.target, link]));
  const path = new Set();
  for (let at = into.get(id); at && !path.has(at); at = into.get(at.source)) path.add(at);
  return path.size ? links.filter((link) => path.has(link)) : links;
}

/** A short description of a link. */
export function linkLabel(link) {
  return {
    named: "named in the question",
    words: "matches the question",
    mentions: "mentions it",
    "mentioned by": "is mentioned by it",
    shares: `both mention “${link.name}”`,
  }[link.kind];
}

/** The linking sentence with the linking words highlighted, shortened so that they stay visible. */
export function leadingSentence(link, most = SENTENCE) {
  const text = link.quote.text.replace(/\s+/g, " ");
  const name = link.name.replace(/\s+/g, " ");
  const at = text.toLowerCase().indexOf(name.toLowerCase());
  if (at < 0) return cut(text, most);
  const from = at + name.length > most ? text.indexOf(" ", Math.max(0, at - most / 2)) + 1 : 0;
  const rest = text.slice(at + name.length);
  return [
    from > 0 ? "…" : "",
    text.slice(from, at),
    element("mark", text.slice(at, at + name.length)),
    cut(rest, Math.max(20, most - at + from - name.length)),
  ];
}

/** Passage id → the part of the question it is relevant to; a single remaining part goes to the only passage without one. */
export function partsAlong(result, chain) {
  const passages = new Map(result.evidence.map((e) => [e.passage.id, e.passage]));
  const parts = new Map(chain.links.map(({ target }) => [target, partFor(result, passages.get(target))]));
  const without = [...parts].filter(([, part]) => !part).map(([id]) => id);
  const open = partsOf(result).filter((part) => ![...parts.values()].includes(part));
  if (without.length === 1 && open.length === 1) parts.set(without[0], open[0]);
  return parts;
}

function beginning(link, evidence, hrefOf) {
  if (!link.source) return element("li.chain-start", element("span.question-mark", { "aria-hidden": "true" }, "?"), "the question");
  const { passage } = evidence.get(link.source);
  return element("li.chain-start", "also from ", element("a", { href: hrefOf(passage.id) }, passage.title || passage.document_id));
}

/** The answer and the passage that gives it, {id, text}; nothing for a verdict or an unsure answer. */
export function answerIn({ answer }) {
  const first = answer?.sentences[0];
  return first?.answer && answer.text ? { id: first.quote.passage_id, text: answer.text } : {};
}

function stepPart(link, { evidence, hrefOf, numbers, answer }) {
  const { passage } = evidence.get(link.target);
  return element(
    "li.chain-step",
    { "data-id": passage.id },
    element(
      "p",
      { class: `chain-arrow ${link.kind === "mentioned by" ? "backward" : ""}` },
      element("b", linkLabel(link)),
      element("q", { dir: "auto" }, link.kind === "words" ? cut(link.name.split(" ").join(", "), AT_ARROW) : leadingSentence(link, AT_ARROW)),
    ),
    element(
      "p.chain-box",
      { dir: "auto" },
      element("i.chain-number", { "aria-hidden": "true" }, numbers.get(passage.id)),
      element("a", { href: hrefOf(passage.id), dir: "auto" }, passage.title || passage.document_id, passage.position > 0 && ` ${placeOf(passage.id)}`),
      passage.id === answer.id && answer.text !== passage.title && element("mark.chain-answer", cut(answer.text, 60)),
    ),
  );
}
