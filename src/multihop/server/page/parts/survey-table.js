// The answers of a survey as a table, as in its report: a row per group, a column per question, details in a side panel.

import { at, get } from "../api.js";
import { cut, element, list, pluralize, table } from "../dom.js";
import { enhance } from "./heat-table.js";
import { pageImage } from "./page-image.js";

const NAMES = { vector_similarity: "By similarity", hop_retrieval: "By graph traversal" };
const MORE = 5;
const SHORT = 70;
const STATES = { "": "any answer", found: "a value", none: "not found", contradicts: "contradicting values" };

/** One table for each retrieval method of the survey. */
export function surveyTables(survey, page) {
  const methods = [...new Set(survey.results.map((r) => r.metadata.retrieval_method))];
  const rows = survey.results.map((row, i) => ({ ...row, telling: survey.telling?.[i] ?? {} }));
  return [
    methods.map((method) => [
      methods.length > 1 && element("h2", NAMES[method] ?? method),
      surveyTable(survey, rows.filter((r) => r.metadata.retrieval_method === method), page),
    ]),
    survey.notes.length > 0 && list("ul.soft", survey.notes),
  ];
}

function surveyTable(survey, rows, page) {
  const questions = Object.entries(survey.questions);
  const contents = new Map();
  const columnHead = (label, title) => element("th", { scope: "col" }, element("button", { type: "button", title }, label));
  const drawn = table(
    "table.heat",
    [columnHead(survey.group), ...questions.map(([n, label]) => columnHead(`${n}.\u00a0${label}`, questionText(rows, n)))],
    rows.map(({ metadata, questions: asked, telling }) => [
      rowHead(String(metadata[survey.group])),
      ...questions.map(([n]) => cell(n, asked[`question_${n}`], telling[n], contents, page)),
    ]),
  );
  const region = { tabindex: 0, role: "region", "aria-label": `Answers by ${survey.group}` };
  const part = element(
    "div",
    rows.length > 1 && controls(survey.group, questions),
    element("section.heat-compared", { hidden: true }),
    element("div.heat-layout", element("div.scroll", region, drawn), element("aside.heat-panel", { hidden: true, tabindex: -1, "aria-label": "Details" })),
    element("p.soft", "The darker a cell, the likelier its value. Open one to read its sentence."),
  );
  enhance(part, (details) => contents.get(details)());
  return part;
}

function questionText(rows, number) {
  return rows[0]?.questions[`question_${number}`]?.question;
}

function rowHead(name) {
  return element("th", { scope: "row", "data-name": name }, element("input.mark", { type: "checkbox", "aria-label": `Mark ${name}` }), element("span.row-name", name));
}

function controls(group, questions) {
  const option = ([value, label]) => element("option", { value }, label);
  const search = (name, placeholder) => element("input", { type: "search", name, placeholder, autocomplete: "off" });
  return element(
    "form.heat-controls",
    element("label", `${group} `, search("name", "part of a name")),
    element("label", "value contains ", search("text", "2030, Oslo …")),
    element("label", "question ", element("select", { name: "question" }, option(["", "any"]), questions.map(([n, label]) => option([n, `${n}. ${label}`])))),
    element("label", "with ", element("select", { name: "state" }, Object.entries(STATES).map(option))),
    element("button.compare", { type: "button" }, "Compare the marked"),
    element("output"),
  );
}

/** A short cell, tinted by the confidence of its value; its details are rendered when it is opened. */
function cell(number, answer, telling, contents, page) {
  if (!answer) return element("td.none", { "data-q": number }, "–");
  const [first, ...others] = answer.findings;
  const level = first && Math.min(9, Math.floor(first.confidence * 10));
  const state = first ? `found ${first.contradicts ? "contradicts " : ""}c${level}` : "none";
  const summary = element("summary", { title: first?.text }, first ? cut(first.text, SHORT) : "not found", others.length > 0 && [" ", element("sup", `+${others.length}`)]);
  const details = element("details", summary);
  contents.set(details, () => flatten(first ? foundContent(answer, page) : closestContent(answer, telling, page)));
  const text = answer.findings.map((f) => `${f.text} ${f.sentence}`).join(" ");
  return element("td", { class: state, "data-q": number, "data-number": first?.number, "data-text": text }, details);
}

const flatten = (parts) => parts.flat(Infinity).filter(Boolean);

function foundContent(answer, page) {
  const [first, ...others] = answer.findings;
  const other = (f) => element("div.heat-other", f.contradicts ? "Contradicts: " : "Also: ", element("b", f.text), source(f, page));
  return [source(first, page), others.map(other), pageOf(first, page), passages(answer, page)];
}

/** The sentence of a value with its words marked, and its source. */
function source(finding, page) {
  const place = [finding.title || finding.document, finding.date, finding.page && `p. ${finding.page}`].filter(Boolean).join(", ");
  return [
    element("q", { dir: "auto" }, marked(finding)),
    element("p.soft", element("a.found", { href: page.passageHref(finding.passage) }, place), ` · ${Math.round(finding.confidence * 100)} % likely`),
  ];
}

function marked({ sentence, words }) {
  const at = words ? sentence.indexOf(words) : -1;
  if (at < 0 || words.length >= sentence.length - 1) return sentence;
  return [sentence.slice(0, at), element("mark", words), sentence.slice(at + words.length)];
}

/** The page of a PDF with the sentence marked, where the server has the file. */
function pageOf(finding, page) {
  if (!finding.page) return null;
  const place = element("div");
  get(at(page.index.name, "passages", finding.passage), page.signal)
    .then((passage) => place.append(...[pageImage(page, { ...passage, page: finding.page }, finding.sentence)].filter(Boolean)))
    .catch(() => undefined);
  return place;
}

function closestContent(answer, telling, page) {
  const [best] = answer.top_k_chunks;
  if (!best) return [element("p", "No passage of this row matches the question.")];
  return [
    element("p", "Not found. The closest passage says:"),
    element("q", { dir: "auto" }, telling ? highlight(telling) : cut(best.content, 300)),
    passages(answer, page),
  ];
}

function passages({ top_k_chunks: chunks }, page) {
  const item = (c) => element("a", { href: page.passageHref(c.id) }, cut(c.heading || c.content, 60));
  return chunks.length > 0 && [element("p.heat-passages", pluralize(chunks.length, "passage")), list("ul.plain", chunks.slice(0, MORE).map(item))];
}

/** A sentence with the matched signals highlighted. */
export function highlight({ text, marks }) {
  // Offsets are in code points; JavaScript strings count UTF-16 units.
  const letters = [...text];
  const part = (from, to) => letters.slice(from, to).join("");
  const ends = [0, ...marks.map(([, end]) => end)];
  return [
    marks.map(([start, end], i) => [part(ends[i], start), element("mark", part(start, end))]),
    part(ends.at(-1)),
  ];
}
