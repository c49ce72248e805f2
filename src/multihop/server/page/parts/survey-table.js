// The answers of a survey as a table: a row for each group, a column for each question, the best passage in each cell.

import { counted, cut, element, list, table } from "../dom.js";
import { bar } from "./evidence.js";

const NAMES = { vector_similarity: "By similarity", hop_retrieval: "Following links" };
const MORE = 5;

/** One table for each way of retrieval that the survey used. */
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

/** The results, each with what its best passages say. */
function rowsOf(survey) {
  return survey.results.map((row, i) => ({ ...row, telling: survey.telling?.[i] ?? {} }));
}

function surveyTable(survey, rows, hrefOf) {
  const questions = Object.entries(survey.questions);
  const heads = [survey.group, ...questions.map(([n, label]) => `${n}. ${label}`)];
  const cells = ({ metadata, questions: asked, telling }) => [
    metadata[survey.group],
    ...questions.map(([n]) => cell(asked[`question_${n}`] ?? {}, telling[n], hrefOf)),
  ];
  const about = { tabindex: 0, role: "region", "aria-label": `Answers by ${survey.group}` };
  return element("div.scroll", about, table("table.survey", heads, rows.map(cells)));
}

function cell({ top_k_chunks: [best, ...others] = [], findings = [] }, telling, hrefOf) {
  if (!best) return element("td.soft", "no passage");
  const other = (c) => [score(c), element("a", { href: hrefOf(c.id) }, cut(c.heading || c.content, 60))];
  return element(
    "td",
    findings.length > 0 && element("strong.value", { title: findings[0].sentence }, findings[0].text),
    findings.length > 0 && element("br"),
    score(best),
    element(
      "a.found",
      { href: hrefOf(best.id), title: best.reason },
      telling ? marked(telling) : cut(best.content, 150),
    ),
    others.length > 0 &&
      element(
        "details",
        element("summary", counted(others.length, "more passage")),
        list("ul.plain", others.slice(0, MORE).map(other)),
      ),
  );
}

/** A sentence with the signs of an answer marked in it. */
function marked({ text, marks }) {
  // The server counts letters; a text here counts some of them twice.
  const letters = [...text];
  const part = (from, to) => letters.slice(from, to).join("");
  const ends = [0, ...marks.map(([, end]) => end)];
  return [
    marks.map(([start, end], i) => [part(ends[i], start), element("mark", part(start, end))]),
    part(ends.at(-1)),
  ];
}

function score(chunk) {
  return element(
    "span.cell-score",
    bar(Math.max(0, Math.min(1, chunk.combined_score)).toFixed(3)),
    element("b", chunk.combined_score.toFixed(2)),
    " ",
  );
}
