// A conversation with an index: each question may refer to the answers before it, such as "And when was he born?".

import { address } from "../address.js";
import { askFollowUp } from "../api.js";
import { element, fill } from "../dom.js";
import { answerBody } from "../parts/answer.js";
import { documentOf, labelsOf } from "../parts/labels.js";
import { showError } from "../parts/problem.js";
import { questionField } from "../parts/question-field.js";
import { inWords } from "../parts/sureness.js";

const K = 10;
/** Maximum turns that the server accepts; earlier ones are not sent. */
const MOST_TURNS = 100;

/** The conversations of this visit by index: the turns with their results. */
const conversations = new Map();

export const title = () => "Chat";

/** Show the conversation; a question in the address begins a new one. */
export function show(page, here) {
  const { name } = page.index;
  if (here.values.q && conversations.get(name)?.[0]?.turn.question !== here.values.q) conversations.delete(name);
  if (!conversations.has(name)) conversations.set(name, []);
  const turns = conversations.get(name);
  const said = element("div.conversation", { role: "log" }, turns.map((each) => turnPart(page, each)));
  const over = element("button", { type: "button", on: { click: startOver } }, "Start over");
  const form = questionField({ label: "Question", placeholder: "A question, or a follow-up", button: "Ask", onAsk: ask }, element("p.buttons", over));
  const field = form.elements.q;
  fill(
    page.main,
    element("h1", "Chat"),
    element("p.lead", "Ask, then follow up: “And when was he born?” refers to the previous answers."),
    said,
    form,
  );
  page.showing(...turns.map(({ result }) => result));
  if (here.values.q && !turns.length) ask(here.values.q);
  else field.focus({ preventScroll: true });

  async function ask(question) {
    const place = element("article.turn", element("h2", { dir: "auto" }, question), element("p.soft", "Searching…"));
    said.append(place);
    field.value = "";
    form.inert = true;
    try {
      const body = { question, k: K, turns: turns.slice(-MOST_TURNS).map(({ turn }) => turn) };
      const each = await askFollowUp(name, body, page.signal);
      turns.push(each);
      page.showing(each.result);
      place.replaceWith(turnPart(page, each));
      page.announce(each.turn.answer ? `Answer: ${inWords(each.result.answer)}` : "No sure answer.");
    } catch (error) {
      showError(place, error, () => {
        place.remove();
        ask(question);
      });
    } finally {
      form.inert = false;
      if (!page.signal.aborted) field.focus({ preventScroll: true });
      form.scrollIntoView({ block: "nearest" });
    }
  }

  function startOver() {
    conversations.delete(name);
    // Navigating to the same address would show the view without its first question.
    if (here.values.q) page.go(address("chat", { index: name }));
    else show(page, here);
  }
}

/** A question, its resolved form, and its answer with links to the passages. */
function turnPart(page, { turn, result }) {
  const labels = labelsOf(result.evidence.map((e) => e.passage));
  const labelOf = (id) => labels.get(id) ?? documentOf(id);
  const link = (id) => element("a", { href: page.passageHref(id) }, labelOf(id));
  const refs = {
    link,
    cite: (id) => element("a.cite", { href: page.passageHref(id) }, labelOf(id)),
    both: (a, b) => element("a", { href: page.passageHref(a, b) }, "Read both side by side"),
  };
  return element(
    "article.turn",
    element("h2", { dir: "auto" }, turn.question),
    turn.resolved !== turn.question && element("p.soft", { dir: "auto" }, `Understood as: ${turn.resolved}`),
    result.evidence.length ? answerBody(result, refs) : element("p", "No passages found."),
    element("p", element("a", { href: address("ask", { index: page.index.name, q: turn.resolved, k: K }) }, "Evidence and chain")),
  );
}
