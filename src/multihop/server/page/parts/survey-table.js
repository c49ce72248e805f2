// The answers of a survey as a table: a row per group, a column per question; a cell opens its passages in a side panel.

import { cut, element, fill, list, pluralize, table } from "../dom.js";
import { bar } from "./evidence.js";

const NAMES = { vector_similarity: "By similarity", hop_retrieval: "By graph traversal" };
const MORE = 5;
const SHORT = 60;

/** One table for each retrieval method of the survey. */
export function surveyTables(survey, hrefOf) {
  const methods = [...new Set(survey.results.map((r) => r.metadata.retrieval_method))];
  return [
    methods.map((method) => [
      methods.length > 1 && element("h2", NAMES[method] ?? method),
      surveyTable(survey, rowsOf(survey).filter((r) => r.metadata.retrieval_method === method), hrefOf),
    ]),
    survey.notes.length > 0 && list("ul.soft", survey.notes),
  ];
}

/** The results, each with excerpts of its best passages. */
function rowsOf(survey) {
  return survey.results.map((row, i) => ({ ...row, telling: survey.telling?.[i] ?? {} }));
}

function surveyTable(survey, rows, hrefOf) {
  const questions = Object.entries(survey.questions);
  const panel = element("aside.survey-panel", { hidden: true, tabindex: -1, "aria-label": "Details" });
  const heads = [survey.group, ...questions.map(([n, label]) => `${n}. ${label}`)];
  const cells = ({ metadata, questions: asked, telling }) => [
    metadata[survey.group],
    ...questions.map(([n, label]) => {
      const about = { group: metadata[survey.group], label: `${n}. ${label}`, answer: asked[`question_${n}`] ?? {}, telling: telling[n] };
      return cell(about, (button) => openPanel(panel, button, about, hrefOf));
    }),
  ];
  const drawn = table("table.survey", heads, rows.map(cells));
  const region = { tabindex: 0, role: "region", "aria-label": `Answers by ${survey.group}` };
  return [
    rows.length > 1 && groupFilter(survey.group, drawn),
    element("div.survey-layout", element("div.survey-scroll", region, drawn), panel),
  ];
}

/** A field that hides the rows whose group does not contain what is typed. */
function groupFilter(group, drawn) {
  const filter = element("input", { type: "search", "aria-label": `Filter by ${group}`, placeholder: `Filter by ${group}`, autocomplete: "off", on: { input: apply } });
  function apply() {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of drawn.tBodies[0].rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
  }
  return element("p.survey-filter", filter);
}

/** A short cell, tinted by the score of its best passage. */
function cell({ answer: { top_k_chunks: [best] = [], findings = [] }, telling }, open) {
  if (!best) return element("td.soft.no-passage", { title: "no passage" }, "–");
  const [first] = findings;
  const button = element(
    "button.cell",
    { type: "button", "aria-expanded": "false", on: { click: () => open(button) } },
    first ? element("strong.value", cut(first.text, SHORT)) : element("span.excerpt", telling ? excerpt(telling) : cut(best.content, SHORT)),
  );
  return element("td", { vars: { share: share(best.combined_score) } }, button);
}

/** Show the passages of a cell: the value, the sentence with what was matched, where it stands, and the others. */
function openPanel(panel, button, { group, label, answer, telling }, hrefOf) {
  const [best, ...others] = answer.top_k_chunks;
  const [first] = answer.findings ?? [];
  for (const pressed of panel.parentElement.querySelectorAll('.cell[aria-expanded="true"]')) pressed.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-expanded", "true");
  const close = () => {
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    button.focus();
  };
  const other = (c) => [score(c), element("a", { href: hrefOf(c.id) }, cut(c.heading || c.content, 60))];
  panel.hidden = false;
  fill(
    panel,
    element("button.close", { type: "button", "aria-label": "Close", on: { click: close } }, "×"),
    element("h3", String(group)),
    element("p.soft", label),
    first && element("p.answer-text", element("b", first.text)),
    element("p", element("q", { dir: "auto" }, telling ? highlight(telling) : (first?.sentence ?? cut(best.content, 300)))),
    element("p", score(best), element("a.found", { href: hrefOf(best.id), title: best.reason }, "Open the passage"), first?.page && `, p. ${first.page}`),
    others.length > 0 && [element("h4", pluralize(others.length, "more passage")), list("ul.plain", others.slice(0, MORE).map(other))],
  );
  panel.focus({ preventScroll: true });
}

/** The beginning of a sentence, from a few words before what was matched. */
function excerpt({ text, marks }) {
  const letters = [...text];
  const [start] = marks[0] ?? [0];
  const from = start > SHORT ? letters.lastIndexOf(" ", start - 15) + 1 : 0;
  return `${from > 0 ? "…" : ""}${cut(letters.slice(from).join(""), SHORT)}`;
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

function share(score) {
  return Math.max(0, Math.min(1, score)).toFixed(3);
}

function score(chunk) {
  return element("span.cell-score", bar(share(chunk.combined_score)), element("b", chunk.combined_score.toFixed(2)), " ");
}
