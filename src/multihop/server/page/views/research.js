// A report on every aspect of a broad question, with its sources and the log of the hops.

import { address } from "../address.js";
import { at, post } from "../api.js";
import { element, fill, list, pluralize } from "../dom.js";
import { downloadButton, fileName } from "../parts/download.js";
import { showError } from "../parts/problem.js";
import { questionField } from "../parts/question-field.js";

const K = 21;
const HOPS = 5;
const MOST_HOPS = 10;
/** Hops before it may stop, as the agent does by default. */
const MIN_HOPS = 3;

export const title = (values) => values.q || "Research";

/** Show the form, and the report on the question in the address. */
export function show(page, here) {
  const { q = "" } = here.values;
  const max = hopsOf(here.values.hops);
  const hops = element("input", {
    id: "hops", name: "hops", type: "number", min: 1, max: MOST_HOPS, inputmode: "numeric", value: max,
  });
  const place = element("div.answer");
  const form = questionField(
    {
      label: "Question", placeholder: "A question with several aspects", button: "Write a report", value: q,
      onAsk: (question) => page.go(address("research", { index: page.index.name, q: question, hops: hopsOf(hops.value) })),
    },
    element(
      "details.more-options",
      element("summary", "Options", max !== HOPS && element("span.soft", ` · at most ${pluralize(max, "hop")}`)),
      element("div.options", element("div.field", element("label", { for: "hops" }, "Maximum hops"), hops)),
    ),
  );
  fill(
    page.main,
    element("h1", "Research"),
    element("p.lead", "Searches until every aspect of a question is covered, and reports what the documents say about each."),
    form,
    place,
  );
  if (q) reportInto(place, page, here);
  else form.elements.q.focus({ preventScroll: true });
}

/** A number of hops that the server accepts. */
function hopsOf(entered) {
  return Math.min(MOST_HOPS, Math.max(1, Math.round(Number(entered)) || HOPS));
}

async function reportInto(place, page, here) {
  const { q } = here.values;
  const max = hopsOf(here.values.hops);
  fill(place, element("p.soft", "Searching, hop by hop…"));
  try {
    const known = page.remembered(here);
    const found = known ?? (await post(at(page.index.name, "research"), { question: q, k: K, min_hops: Math.min(MIN_HOPS, max), max_hops: max }, page.signal));
    page.remember(here, found);
    fill(place, reportPart(page, found));
    const { sections, not_covered: open } = found.report;
    page.announce(`${pluralize(sections.length - open.length, "aspect")} of ${sections.length} covered.`);
  } catch (error) {
    showError(place, error, () => reportInto(place, page, here));
  }
}

function reportPart(page, { report, markdown, metadata, log }) {
  const sources = Object.entries(report.titles);
  const number = (id) => sources.findIndex(([cited]) => cited === id) + 1;
  const cite = (id) => element("a.cite", { href: page.passageHref(id), title: report.titles[id] }, `[${number(id)}]`);
  const [covered, open] = [true, false].map((is) => report.sections.filter((s) => s.covered === is));
  const share = metadata.aspect_coverage?.weighted_coverage;
  return [
    element(
      "div.summary",
      element("p", element("b", `${covered.length} of ${pluralize(report.sections.length, "aspect")} covered`), share !== undefined && element("span.soft", `, ${Math.round(share * 100)} % by importance`)),
      element("div.buttons", downloadButton("Save as Markdown", fileName(report.question, "md"), "text/markdown", () => markdown)),
    ),
    covered.map((s) => element("section.aspect", element("h2", { dir: "auto" }, s.heading), s.statements.map((each) => statementPart(each, cite)))),
    open.length > 0 && element("section.aspect", element("h2", "Not covered"), list("ul", open.map((s) => s.heading))),
    sources.length > 0 &&
      element("section.aspect", element("h2", "Sources"), list("ol", sources.map(([id, title]) => element("a", { href: page.passageHref(id) }, title)))),
    report.notes.map((note) => element("p.soft", note.text)),
    element("details", element("summary", "Log of the hops"), element("pre.log", { tabindex: 0 }, log)),
  ];
}

function statementPart({ text, quotes }, cite) {
  const cited = [...new Set(quotes.map((quote) => quote.passage_id))].map(cite);
  return element("p.statement", { dir: "auto" }, text, "\u00a0", cited.length ? cited : element("small.no", "not supported by any passage"));
}
