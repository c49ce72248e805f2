// The view of one result: answer, chain, evidence, hop graph, coverage, unused candidates, trace, downloads.

import { address, askedOf } from "../address.js";
import { at, get, importPart, post } from "../api.js";
import { pluralize, element, fill } from "../dom.js";
import { answerPart, sidesOf, uncheckedPart, writtenPart } from "./answer.js";
import { chainStrip, linksTo } from "./chain.js";
import { coveragePart, namesFound } from "./coverage.js";
import { downloadButton, fileName, save } from "./download.js";
import { evidenceCsv } from "./evidence-csv.js";
import { evidenceList, weaknessReason } from "./evidence.js";
import { feedbackPart } from "./feedback.js";
import { hopGraph } from "./graph.js";
import { passagesOf } from "./graph-model.js";
import { documentOf, labelsOf } from "./labels.js";
import { unusedCandidatesPart } from "./unused-candidates.js";
import { languageNotice } from "./language.js";
import { markdown } from "./markdown.js";
import { tokensOf } from "./model-calls.js";
import { numbersOf } from "./order.js";
import { requestOf } from "./question-form.js";
import { missingWords } from "./question-match.js";
import { bibtex, references } from "./references.js";
import { milliseconds, timeline } from "./trace.js";

const NEIGHBORS = 9;

/**
 * The view of a result as {place, words, answered}; titles of dropped passages and links among them are fetched
 * afterwards. While a language model is `writing`, `words` shows its text so far, and `answered` its checked answer.
 */
export function resultPart(page, here, result, writing = false) {
  let labels = labelsOf(result.evidence.map((e) => e.passage));
  const labelOf = (id) => labels.get(id) ?? documentOf(id);
  const link = (id, title) => element("a", { href: page.passageHref(id) }, title || labelOf(id));
  const drawn = leads(result) ? linksTo(result, result.chain) : [];
  const refs = { link, cite: citations(result, labelOf), chain: drawn, both: (a, b) => element("a", { href: page.passageHref(a, b) }, "Read both side by side"), feedback: (cited) => feedbackPart(page, result.question, cited) };
  const ranked = (k) =>
    post(at(page.index.name, "retrieve"), { ...requestOf(here.values, result.trace.strategy.name), k }, page.signal);
  const hrefOf = (node) =>
    node.ghost && !node.known
      ? address("documents", { index: page.index.name, search: node.label })
      : page.passageHref(node.id);
  const neighborsOf = (id) => get(`${at(page.index.name, "neighborhood", id)}?steps=1&most=${NEIGHBORS}`, page.signal);
  const graph = hopGraph(result, drawn, labelOf, hrefOf, neighborsOf);
  const [coverage, leftOut, trace, about, answer] = Array.from({ length: 5 }, () => element("div"));
  let written;
  const tell = () => fill(answer, written ? writtenPart(written) : answerPart(result, refs, writing));
  const write = () => {
    fill(about, summary(page, here, result));
    tell();
    fill(coverage, coveragePart(result, labelOf, page.passageHref));
    fill(leftOut, unusedCandidatesPart(result, link, ranked));
    fill(trace, timeline(result, link));
  };
  write();
  post(at(page.index.name, "graph"), { passages: passagesOf(result) }, page.signal)
    .then((known) => {
      labels = labelsOf(known.passages);
      graph.learn(known);
      write();
    })
    .catch((error) => {
      // Without links the graph still shows the trace.
      if (error.status === undefined && error.name !== "AbortError") throw error;
    });
  const walked = result.trace.hops.some((h) => h.entered.length > 0);
  const place = highlightOnHover(
    element(
      "div.result",
      languageNotice(result),
      answer,
      drawn.length > 0 && chainPart(result, page),
      about,
      jumps({ chain: drawn.length > 0, graph: walked }),
      element(
        "div.columns",
        element(
          "section.main-column",
          { "aria-labelledby": "evidence-title" },
          element("h2", { id: "evidence-title", tabindex: -1 }, "Evidence"),
          shortage(result),
          evidenceList(result, result.chain, page),
          leftOut,
        ),
        element(
          "div.side-column",
          walked && section("graph", "Hop graph", graph.place),
          section("coverage", "Coverage", coverage),
          section("trace", "Trace", trace),
        ),
      ),
    ),
  );
  return {
    place,
    words(sofar) {
      written = sofar;
      tell();
    },
    answered(checked) {
      writing = false;
      written = undefined;
      result = checked;
      write();
    },
  };
}

/** The answer of a draft; its passages have no cards yet, so it links to them. */
export function draftPart(result, page) {
  const labels = labelsOf(result.evidence.map((e) => e.passage));
  const cite = (id) => element("a.cite", { href: page.passageHref(id) }, labels.get(id) ?? documentOf(id));
  return uncheckedPart(result.answer, { cite });
}

/** Replace the drawn chain by the current one; new steps are animated. */
export function growChain(place, sofar, page) {
  const before = new Set([...place.querySelectorAll(".chain-step")].map((step) => step.dataset.id));
  const strip = chainStrip(sofar, sofar.chain, page.passageHref);
  if (!strip) return;
  for (const step of strip.querySelectorAll(".chain-step")) step.classList.toggle("arriving", !before.has(step.dataset.id));
  fill(place, section("chain", "The chain so far", strip));
}

/** The chain with its downloads. */
function chainPart(result, page) {
  return section("chain", "Chain", chainDownloads(result), chainStrip(result, result.chain, page.passageHref));
}

/** Whether the chain adds to the list of passages: it continues from one, and in a comparison to one of the sides. */
function leads(result) {
  const sides = result.answer ? sidesOf(result.answer).map((s) => s.quote.passage_id) : [];
  const onward = result.chain.links.filter((link) => link.source && (!sides.length || sides.includes(link.target)));
  // A chain without a name of the question is useless; other words may be paraphrased.
  const isName = (word) => /^\p{Lu}/u.test(word) && !result.question.trim().startsWith(word);
  const lost = result.answer?.answered === false && missingWords(result.question, result.evidence).some(isName);
  return onward.length > 0 && !weaknessReason(result) && !lost;
}

function chainDownloads(result) {
  const picture = (format) => async () => {
    const { chainSvg, savePng } = await importPart(() => import("../parts/chain-picture.js"));
    const svg = chainSvg(result);
    if (format === "svg") save(fileName(result.question, "svg"), "image/svg+xml", svg);
    else await savePng(fileName(result.question, "png"), svg);
  };
  return element(
    "p.buttons.chain-buttons",
    ["svg", "png"].map((format) => element("button", { type: "button", on: { click: picture(format) } }, format.toUpperCase())),
  );
}

/** Makes numbered links to the evidence cards: "[2]". Pointing at one highlights the passage everywhere. */
function citations(result, labelOf) {
  const numbers = numbersOf(result, result.chain);
  const ranks = new Map(result.evidence.map((e) => [e.passage.id, e.rank]));
  return (id) =>
    element("a.cite", { href: `#rank-${ranks.get(id)}`, "data-id": id, title: labelOf(id) }, `[${numbers.get(id)}]`);
}

function section(name, title, ...parts) {
  return element(
    "section",
    { class: `${name}-section`, "aria-labelledby": `${name}-title` },
    element("h2", { id: `${name}-title`, tabindex: -1 }, title),
    ...parts,
  );
}

/** Links to the sections of the answer, for small screens. */
function jumps({ chain, graph }) {
  const parts = { chain: chain && "Chain", evidence: "Evidence", graph: graph && "Graph", coverage: "Coverage", trace: "Trace" };
  return element(
    "nav.jumps",
    { "aria-label": "Parts of the answer" },
    Object.entries(parts).map(([name, label]) => label && element("a", { href: `#${name}-title` }, label)),
  );
}

/** Highlight a passage everywhere while the pointer or the focus is on it. */
function highlightOnHover(place) {
  const look = (event) => {
    const id = event.target.closest("[data-id]")?.dataset.id;
    for (const each of place.querySelectorAll("[data-id]")) each.classList.toggle("same", each.dataset.id === id);
  };
  for (const event of ["mouseover", "focusin"]) place.addEventListener(event, look);
  return place;
}

function summary(page, here, result) {
  const { hops, seconds, strategy } = result.trace;
  const { index } = here.values;
  const facts = [
    pluralize(result.evidence.length, "passage"),
    pluralize(hops.length, "hop"),
    seconds && milliseconds(seconds),
    tokensOf(result.trace),
    namesFound(result),
  ].filter(Boolean);
  const other = strategy.name === "bm25" ? "auto" : "bm25";
  return element(
    "div.summary",
    element("p", element("b", facts.join(" · "))),
    element(
      "div.buttons",
      element("a.button", { href: address("chat", { index, q: result.question }) }, "Ask a follow-up"),
      element("a.button", { href: address("compare", { index, ...askedOf(here.values), a: strategy.name, b: other }) }, `Compare with ${other}`),
      savePart(result),
      copyButton(page),
      element("button", { type: "button", on: { click: () => print() } }, "Print"),
    ),
  );
}

/** Download buttons for the export formats, folded. */
function savePart(result) {
  const formats = [
    ["Markdown", "md", "text/markdown", () => markdown(result)],
    ["CSV", "csv", "text/csv", () => evidenceCsv(result)],
    ["BibTeX", "bib", "application/x-bibtex", () => bibtex(references(result))],
    ["CSL", "csl.json", "application/vnd.citationstyles.csl+json", () => JSON.stringify(references(result), null, 1)],
    ["JSON", "json", "application/json", () => JSON.stringify(result, null, 1)],
  ];
  const button = ([name, ending, type, text]) => downloadButton(name, fileName(result.question, ending), type, text);
  return element("details.save", element("summary.button", "Save as"), element("span.buttons", formats.map(button)));
}

function copyButton(page) {
  const button = element("button", { type: "button", on: { click: copy } }, "Copy link");
  async function copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      page.announce("Link copied.");
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  }
  return button;
}

function shortage(result) {
  const textsOf = (code) => result.trace.notes.filter((n) => n.code === code).map((n) => n.text);
  const outdated = textsOf("not-in-force").map((text) => element("p.soft", `${text[0].toUpperCase()}${text.slice(1)}.`));
  const side = (n, i) => `“${n.titles[i]}”${n.dates[i] ? ` (${n.dates[i]})` : ""} says “${n.quotes[i].text}”`;
  const newer = (n) => (n.newer ? `; newer: “${n.titles[n.quotes.findIndex((q) => q.passage_id === n.newer)]}”` : "");
  outdated.push(...(result.conflicts ?? []).map((n) => element("p.no", `Two sources disagree: ${side(n, 0)}, ${side(n, 1)}${newer(n)}.`)));
  if (!result.short) return outdated;
  const hints = textsOf("value-unknown");
  return [
    ...outdated,
    result.evidence.length > 0 &&
      element("p.soft", `${pluralize(result.evidence.length, "passage")} of the ${result.k} requested; no more could be reached.`),
    ...hints.map((hint) => element("p.no", `${hint[0].toUpperCase()}${hint.slice(1)}`)),
  ];
}
