// Starts the page: loads what the server offers, draws the header, and shows the view that the address names.

import { address, changed, parsed, sameView, viewOf } from "./address.js";
import { get } from "./api.js";
import { element, fill } from "./dom.js";
import { header } from "./header.js";
import { closePassage, openPassage } from "./parts/passage.js";
import { failed, problem } from "./parts/problem.js";
import * as askView from "./views/ask.js";
import * as compareView from "./views/compare.js";
import * as documentView from "./views/document.js";
import * as documentsView from "./views/documents.js";
import * as reportView from "./views/report.js";
import * as reportsView from "./views/reports.js";
import * as savedView from "./views/saved.js";
import * as surveyView from "./views/survey.js";

const VIEWS = {
  ask: askView,
  compare: compareView,
  documents: documentsView,
  document: documentView,
  survey: surveyView,
  report: reportView,
  reports: reportsView,
  saved: savedView,
};
const REMEMBERED = 20;

const main = document.getElementById("main");
const dialog = document.getElementById("passage");
const answers = new Map();
const scrolled = new Map();
let offered;
let shown;
let page;
let leaving = new AbortController();

async function start() {
  try {
    const [{ indexes }, { strategies, default: defaultStrategy }, { scopes }, { profiles }, { reports }] =
      await Promise.all(["indexes", "strategies", "views", "profiles", "reports"].map((what) => get(`v1/${what}`)));
    offered = { indexes, strategies, defaultStrategy, profiles, reports, mayWrite: scopes.includes("write"),
      maySurvey: scopes.includes("survey") };
  } catch (error) {
    return failed(main, error, start);
  }
  addEventListener("hashchange", route);
  // The browser would do it before there is anything to scroll to.
  history.scrollRestoration = "manual";
  addEventListener("scroll", () => scrolled.set(history.state, scrollY), { passive: true });
  route();
}

/** How far this entry of the history was scrolled; a new one gets a name by which it is known when it comes again. */
function scrolledBefore() {
  if (history.state === null) history.replaceState(`${Date.now()} ${Math.random()}`, "");
  return scrolled.get(history.state) ?? 0;
}

/** Scroll to where a view was left, as soon as it has grown so far; whoever scrolls meanwhile is not disturbed. */
function scrollBack(to, signal) {
  scrollTo(0, to);
  if (scrollY >= to) return;
  const growing = new ResizeObserver(() => {
    scrollTo(0, to);
    if (scrollY >= to) growing.disconnect();
  });
  growing.observe(main);
  for (const event of ["wheel", "touchstart", "keydown"]) addEventListener(event, () => growing.disconnect(), { once: true, signal });
  signal.addEventListener("abort", () => growing.disconnect());
}

/** Where the address leads; without an index it means the first one. */
function located() {
  const { view, values } = parsed(location.hash);
  return { view, values: { index: offered.indexes[0]?.name, ...values } };
}

function route() {
  const here = located();
  const before = scrolledBefore();
  if (!sameView(here, shown)) showView(here, before);
  else shown = here;
  openNamed();
}

/** Open the passage that the address names, with what the result on the page says of it. */
function openNamed() {
  const { passage, beside } = parsed(location.hash).values;
  if (passage && page) openPassage(page, [passage, beside].filter(Boolean), page.resultWith(passage));
  else closePassage();
}

function showView(here, before) {
  const first = shown === undefined;
  leaving.abort();
  leaving = new AbortController();
  shown = here;
  const view = VIEWS[here.view];
  const index = offered.indexes.find((i) => i.name === here.values.index);
  fill(document.getElementById("top"), header(offered, here, index ?? offered.indexes[0]));
  document.title = `${view?.title?.(here.values) ?? "multihop"} · multihop`;
  page = undefined;
  if (!view)
    fill(
      main,
      element("h1", { class: "unseen" }, "Nothing to show"),
      problem(
        `There is no page “${here.view}” here.`,
        undefined,
        element("p", {}, element("a", { href: "#/ask" }, "Go to the start")),
      ),
    );
  else if (!index) fill(main, noIndex(here));
  else view.show((page = pageFor(index, here)), here);
  scrollBack(before, leaving.signal);
  if (!first) main.focus({ preventScroll: true });
}

function noIndex(here) {
  const known = offered.indexes.map((i) =>
    element("li", {}, element("a", { href: address(here.view, { index: i.name }) }, i.name)),
  );
  const said = here.values.index
    ? `There is no index “${here.values.index}” on this server.`
    : "This server has no index yet.";
  return [
    element("h1", { class: "unseen" }, "Nothing to show"),
    problem(said, undefined, known.length > 0 && [element("p", {}, "It has:"), element("ul", {}, known)]),
  ];
}

/** What a view is given: where to draw, what the server offers, and what it may ask of the page. */
function pageFor(index, here) {
  const results = [];
  return {
    ...offered,
    index,
    main,
    signal: leaving.signal,
    announce,
    go,
    passageHref: (id, beside = "") => changed(here, { passage: id, beside }),
    remembered: (place) => answers.get(viewOf(place)),
    remember: (place, result) => remember(viewOf(place), result),
    showing: (...all) => {
      results.push(...all);
      openNamed();
    },
    resultWith: (id) => results.find((r) => r.evidence.some((e) => e.passage.id === id)) ?? results[0],
    indexChanged: async () => {
      answers.clear();
      offered.indexes = (await get("v1/indexes")).indexes;
      fill(
        document.getElementById("top"),
        header(
          offered,
          here,
          offered.indexes.find((i) => i.name === index.name),
        ),
      );
    },
  };
}

function go(hash) {
  if (hash === location.hash) {
    answers.clear();
    shown = undefined;
    route();
  } else {
    location.hash = hash;
  }
}

function remember(place, result) {
  answers.delete(place);
  answers.set(place, result);
  if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value);
}

function announce(text) {
  document.getElementById("status").textContent = text;
}

// Closing the dialog by any means (button, Escape, the page behind it) takes the passage out of the address.
dialog.addEventListener("close", () => {
  const here = parsed(location.hash);
  if (here.values.passage) location.hash = viewOf(here);
});
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

// "/" goes to the field of the question, or of the search, wherever nothing is being written.
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, textarea, select, dialog[open]");
  const field = document.querySelector("#question, #search");
  if (event.key !== "/" || writing || !field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// Links within the page must not become addresses of views.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]:not([href^="#/"])');
  const target = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!link) return;
  event.preventDefault();
  for (let around = target?.closest("details"); around; around = around.parentElement.closest("details"))
    around.open = true;
  target?.scrollIntoView({ block: "start" });
  target?.focus({ preventScroll: true });
});

start();
