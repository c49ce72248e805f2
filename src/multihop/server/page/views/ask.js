// The view for one question: the form with examples, progress by hop, then the result.

import { address, askedOf } from "../address.js";
import { ask, at, get, importPart } from "../api.js";
import { pluralize, element, fill, list } from "../dom.js";
import { saveQuestion } from "../saved-items.js";
import { showError, problem } from "../parts/problem.js";
import { questionForm, requestOf } from "../parts/question-form.js";
import { steps } from "../parts/steps.js";

const EXAMPLE_K = 5;

export const title = (values) => values.q || "Ask";

/** Show the view for an address; a question in the address is asked at once. */
export function show(page, here) {
  const strategy = here.values.strategy ?? page.defaultStrategy;
  const answer = element("div.answer");
  const form = questionForm(page, here.values, [{ name: "strategy", label: "Strategy", value: strategy }], (values) => {
    page.go(address("ask", { index: page.index.name, ...values }));
  });
  form.classList.toggle("compact", Boolean(here.values.q));
  fill(
    page.main,
    element("h1", { class: here.values.q ? "unseen" : "" }, "Find the evidence, hop by hop"),
    !here.values.q &&
      element("p.lead", "Check a claim or ask a question. You get the few passages that together cover it, each with its reason."),
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
  const log = steps(known ? () => undefined : page.announce, () => canceled.abort());
  const signal = AbortSignal.any([page.signal, canceled.signal]);
  const below = element("div");
  fill(place, log.place, below);
  // Loaded while the server works; a failure is reported when the module is needed.
  resultParts().catch(() => undefined);
  try {
    let shown;
    const draw = async (result, writing) => {
      const { resultPart } = await resultParts();
      page.showing(result);
      shown = resultPart(page, here, result, writing);
      fill(below, shown.place);
    };
    // A failed import is reported when the result is drawn.
    const grow = (sofar) => resultParts().then(({ growChain }) => shown || growChain(below, sofar, page), () => undefined);
    const on = { chain: grow, hop: log.add, draft: (draft) => (log.writing(), draw(draft, true)), words: (words) => shown.words(words) };
    const result = known ?? (await ask(page.index.name, requestOf(here.values, strategy), on, signal));
    const titles = Object.fromEntries(result.evidence.map(({ passage }) => [passage.id, passage.title]));
    if (known) known.trace.hops.forEach((hop) => log.add({ ...hop, titles }));
    log.end("Stop", result.trace.hops.at(-1)?.decision.reason ?? "");
    page.remember(here, result);
    if (!known) {
      const found = result.answer?.text ?? "";
      saveQuestion(page.index.name, { ...askedOf(here.values), strategy, at: new Date().toISOString(), found });
    }
    if (shown) shown.answered(result);
    else await draw(result, false);
    page.announce(`${pluralize(result.evidence.length, "passage")} found in ${pluralize(result.trace.hops.length, "hop")}.`);
  } catch (error) {
    const again = () => answerInto(place, page, here, strategy);
    log.place.remove();
    if (canceled.signal.aborted) fill(below, problem("You canceled this question.", again));
    else showError(below, error, again);
  }
}

/** The module that shows a result. */
const resultParts = () => importPart(() => import("../parts/result.js"));

async function showExamples(place, page) {
  try {
    const { examples } = await get(at(page.index.name, "examples"), page.signal);
    if (!examples.length) return;
    fill(place, element("h2", "Try one of these"), list("ul.examples", examples.map((e) => example(page, e))));
  } catch (error) {
    if (error.name !== "AbortError" && error.status !== 404) showError(place, error, () => showExamples(place, page));
  }
}

function example(page, { text, kind, hops, type }) {
  const href = address("ask", { index: page.index.name, q: text, k: EXAMPLE_K });
  const about = `${type === "bridge" ? kind : type}, ${pluralize(hops, "hop")}`;
  return [element("a", { href, dir: "auto" }, text), element("small.soft", about)];
}
