// The view for one question: the form with examples, progress by hop, then the result.

import { address, askedOf } from "../address.js";
import { ask, at, get, importPart } from "../api.js";
import { cut, pluralize, element, fill, list } from "../dom.js";
import { savedItems, saveQuestion } from "../saved-items.js";
import { showError, problem } from "../parts/problem.js";
import { questionForm, requestOf } from "../parts/question-form.js";
import { steps } from "../parts/steps.js";
import { inWords } from "../parts/sureness.js";

const EXAMPLE_K = 5;
const RECENT = 4;

export const title = (values) => values.q || "Ask";

/** Show the view for an address; a question in the address is asked at once. */
export function show(page, here) {
  const strategy = here.values.strategy ?? page.defaultStrategy;
  const answer = element("div", { class: here.values.q ? "answer" : "answer start" });
  const form = questionForm(page, here.values, [{ name: "strategy", label: "Strategy", value: strategy }], (values) => {
    page.go(address("ask", { index: page.index.name, ...values }));
  });
  fill(
    page.main,
    element("h1", { class: here.values.q ? "unseen" : "" }, "Find the evidence, hop by hop"),
    !here.values.q &&
      element("p.lead", "Ask a question or check a claim. You get the answer, and the passages that lead to it."),
    form,
    answer,
  );
  if (here.values.q) answerInto(answer, page, here, strategy);
  else {
    showExamples(answer, page);
    // Not on a phone, where the keyboard would cover the examples.
    if (matchMedia("(min-width: 641px)").matches) form.elements.q.focus({ preventScroll: true });
  }
}

async function answerInto(place, page, here, strategy) {
  const known = page.remembered(here);
  const canceled = new AbortController();
  const log = steps(page.announce, () => canceled.abort());
  const signal = AbortSignal.any([page.signal, canceled.signal]);
  const [draft, below] = [element("div"), element("div")];
  fill(place, !known && log.place, draft, below);
  // Loaded while the server works; a failure is reported when the module is needed.
  resultParts().catch(() => undefined);
  try {
    let shown;
    const draw = async (result, writing) => {
      const { resultPart } = await resultParts();
      page.showing(result);
      shown = resultPart(page, here, result, writing);
      fill(draft);
      fill(below, shown.place);
    };
    // A failed import is reported when the result is drawn.
    const grow = (sofar) => resultParts().then(({ growChain }) => shown || growChain(below, sofar, page), () => undefined);
    const early = async (result) => {
      if (!result.answer.notes.some((n) => n.code === "unchecked")) {
        log.writing();
        return draw(result, true);
      }
      const { draftPart } = await resultParts();
      log.checking();
      fill(draft, draftPart(result, page));
    };
    const on = { chain: grow, hop: log.add, draft: early, words: (words) => shown.words(words) };
    const result = known ?? (await ask(page.index.name, requestOf(here.values, strategy), on, signal));
    log.place.remove();
    page.remember(here, result);
    if (!known) {
      const found = result.answer ? inWords(result.answer) : "";
      saveQuestion(page.index.name, { ...askedOf(here.values), strategy, at: new Date().toISOString(), found });
    }
    if (shown) shown.answered(result);
    else await draw(result, false);
    page.announce(`${pluralize(result.evidence.length, "passage")} found in ${pluralize(result.trace.hops.length, "hop")}.`);
  } catch (error) {
    const again = () => answerInto(place, page, here, strategy);
    log.place.remove();
    fill(draft);
    if (canceled.signal.aborted) fill(below, problem("You canceled this question.", again));
    else showError(below, error, again);
  }
}

/** The module that shows a result. */
const resultParts = () => importPart(() => import("../parts/result.js"));

async function showExamples(place, page) {
  try {
    const { examples } = await get(at(page.index.name, "examples"), page.signal);
    fill(place, recentPart(page), examples.length ? examplesPart(page, examples) : invitation(page));
  } catch (error) {
    if (error.name !== "AbortError" && error.status !== 404) showError(place, error, () => showExamples(place, page));
  }
}

function examplesPart(page, examples) {
  const item = ({ text, kind, hops, type }) => [
    element("a", { href: address("ask", { index: page.index.name, q: text, k: EXAMPLE_K }), dir: "auto" }, text),
    element("small.soft", `${type === "bridge" ? kind : type}, ${pluralize(hops, "hop")}`),
  ];
  return [element("h2", "Try one of these"), list("ul.examples", examples.map(item))];
}

/** The last questions that were asked here, from this browser. */
function recentPart(page) {
  const { questions } = savedItems(page.index.name);
  if (!questions.length) return null;
  const item = ({ found, at: _, ...asked }) => [
    element("a", { href: address("ask", { index: page.index.name, ...asked }), dir: "auto" }, asked.q),
    found && element("small.soft", { dir: "auto" }, cut(found, 40)),
  ];
  return [element("h2", "Recent questions"), list("ul.examples.recent", questions.slice(0, RECENT).map(item))];
}

/** Shown without examples: other things to do with this index. */
function invitation(page) {
  const { name, documents } = page.index;
  const ways = [
    page.mayWrite && ["documents", documents ? "Add documents" : "Add the first documents"],
    documents > 0 && ["documents", `Browse ${pluralize(documents, "document")}`],
    documents > 0 && page.maySurvey && page.profiles.length > 0 && ["survey", "Run a survey"],
  ].filter(Boolean);
  return element(
    "div.invitation",
    element("h2", documents ? "Ask about these documents, or" : "This index is empty"),
    element("p.buttons", ways.map(([view, label]) => element("a.button", { href: address(view, { index: name }) }, label))),
  );
}
