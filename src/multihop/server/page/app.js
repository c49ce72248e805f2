// Starts the page: loads what the server offers, draws the header, and shows the view that the address names.

import { address, changed, parsed, sameView, viewOf } from "./address.js";
import { get, loaded } from "./api.js";
import { element, fill, list } from "./dom.js";
import { header } from "./header.js";
import { failed, problem } from "./parts/problem.js";

// Every file in views/ is a view; each comes when it is first shown, and first.js has asked for the one that the address names.
const VIEWS = document.querySelector("script[data-views]").dataset.views.split(" ");
const REMEMBERED = 20;

const main = document.getElementById("main");
const dialog = document.getElementById("passage");
const answers = new Map();
const scrolled = new Map();
let entry;
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
  route();
}

/** How far this entry of the history was scrolled; a new one gets a name by which it is known when it comes again.
 *
 * The view that is left still stands there: how far it was scrolled is kept before another takes its place. */
function scrolledBefore() {
  if (entry) scrolled.set(entry, scrollY);
  if (history.state === null) history.replaceState(`${Date.now()} ${Math.random()}`, "");
  entry = history.state;
  return scrolled.get(entry) ?? 0;
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
  if (!sameView(here, shown)) return showView(here, before);
  shown = here;
  openNamed();
}

/** Open the passage that the address names, with what the result on the page says of it. */
async function openNamed() {
  const { passage, beside } = parsed(location.hash).values;
  if (!passage || !page) return dialog.close();
  const { openPassage } = await loaded(() => import("./parts/passage.js"));
  // It may have been closed, or another one opened, while the file came.
  if (parsed(location.hash).values.passage === passage) openPassage(page, [passage, beside].filter(Boolean), page.resultWith(passage));
}

async function showView(here, before) {
  const first = shown === undefined;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  shown = here;
  page = undefined;
  const index = offered.indexes.find((i) => i.name === here.values.index);
  fill(document.getElementById("top"), header(offered, here, index ?? offered.indexes[0]));
  let view;
  try {
    view = VIEWS.includes(here.view) && (await loaded(() => import(`./views/${here.view}.js`)));
  } catch (error) {
    return failed(main, error, () => showView(here, before));
  }
  // Another view was chosen while the files of this one came.
  if (signal.aborted) return;
  document.title = `${view ? view.title(here.values) : "multihop"} · multihop`;
  if (!view)
    fill(
      main,
      element("h1.unseen", "Nothing to show"),
      problem(`There is no page “${here.view}” here.`, undefined, element("p", element("a", { href: "#/ask" }, "Go to the start"))),
    );
  else if (!index) fill(main, noIndex(here));
  else view.show((page = pageFor(index, here)), here);
  scrollBack(before, signal);
  // As a browser does for a new page, so that the keyboard and what reads aloud begin with the view.
  if (!first) main.focus({ preventScroll: true });
  openNamed();
}

function noIndex(here) {
  const known = offered.indexes.map(({ name }) => element("a", { href: address(here.view, { index: name }) }, name));
  const said = here.values.index
    ? `There is no index “${here.values.index}” on this server.`
    : "This server has no index yet.";
  return [
    element("h1.unseen", "Nothing to show"),
    problem(said, undefined, known.length > 0 && [element("p", "It has:"), list("ul", known)]),
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
      // What was answered before may not hold any more.
      answers.clear();
      offered.indexes = (await get("v1/indexes")).indexes;
      fill(document.getElementById("top"), header(offered, here, offered.indexes.find((i) => i.name === index.name)));
    },
  };
}

function go(hash) {
  // An address that does not change is no event: the question is asked anew.
  if (hash === location.hash) {
    answers.clear();
    shown = undefined;
    route();
  } else {
    location.hash = hash;
  }
}

function remember(place, result) {
  // A Map keeps the place of a key that it has; taken out first, this one becomes the newest.
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
