// The answers of a survey as a table: a row per group, a column per question, the best passage in each cell.

import { pluralize, cut, element, list, table } from "../dom.js";
import { bar } from "./evidence.js";

const NAMES = { vector_similarity: "By similarity", hop_retrieval: "By graph traversal" };
const MORE = 5;

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
      telling ? highlight(telling) : cut(best.content, 150),
    ),
    others.length > 0 &&
      element(
        "details",
        element("summary", pluralize(others.length, "more passage")),
        list("ul.plain", others.slice(0, MORE).map(other)),
      ),
  );
}

/** A sentence with the matched signals highlighted. */
function highlight({ text, marks }) {
  // Offsets are in code points; JavaScript strings count UTF-16 units.
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
