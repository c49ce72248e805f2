// Starts the page: loads the server's indexes and strategies, draws the header, and shows the view in the URL.

import { address, withValues, parseAddress, sameView, viewOf } from "./address.js";
import { get, importPart } from "./api.js";
import { element, fill, list } from "./dom.js";
import { header } from "./header.js";
import { showError, problem } from "./parts/problem.js";

// Every file in views/ is a view, loaded when it is first shown; preload.js has already requested the one in the URL.
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
    const [{ indexes }, { strategies, default: defaultStrategy }, { scopes, feedback }, { profiles, lists, install }, { reports }] =
      await Promise.all([...["indexes", "strategies", "views", "profiles"].map((what) => get(`v1/${what}`)), reportsShown()]);
    offered = { indexes, strategies, defaultStrategy, profiles, questionLists: lists, surveyInstall: install, reports, feedback, mayWrite: scopes.includes("write"),
      maySurvey: scopes.includes("survey") };
  } catch (error) {
    return showError(main, error, start);
  }
  addEventListener("hashchange", route);
  // The browser would restore it before there is anything to scroll to.
  history.scrollRestoration = "manual";
  route();
}

/** The reports; none if the user may not see them. */
async function reportsShown() {
  try {
    return await get("v1/reports");
  } catch (error) {
    if (error.status !== 403) throw error;
    return { reports: [] };
  }
}

/** Return the saved scroll position of this history entry; a new entry gets a key.
 *
 * Called while the previous view is still shown, so that its position can be saved first. */
function scrolledBefore() {
  if (entry) scrolled.set(entry, scrollY);
  if (history.state === null) history.replaceState(`${Date.now()} ${Math.random()}`, "");
  entry = history.state;
  return scrolled.get(entry) ?? 0;
}

/** Restore a scroll position as soon as the view is tall enough, unless the user scrolls meanwhile. */
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

/** The view and values of the URL; the default index is the first one. */
function located() {
  const { view, values } = parseAddress(location.hash);
  return { view, values: { index: offered.indexes[0]?.name, ...values } };
}

function route() {
  const here = located();
  const before = scrolledBefore();
  if (!sameView(here, shown)) return showView(here, before);
  shown = here;
  openNamed();
}

/** Open the passage named in the URL, with its reasons in the current result. */
async function openNamed() {
  const { passage, beside } = parseAddress(location.hash).values;
  if (!passage || !page) return dialog.close();
  const { openPassage } = await importPart(() => import("./parts/passage.js"));
  // It may have been closed, or another one opened, while the module loaded.
  if (parseAddress(location.hash).values.passage === passage) openPassage(page, [passage, beside].filter(Boolean), page.resultWith(passage));
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
    view = VIEWS.includes(here.view) && (await importPart(() => import(`./views/${here.view}.js`)));
  } catch (error) {
    return showError(main, error, () => showView(here, before));
  }
  // Another view was chosen while this one loaded.
  if (signal.aborted) return;
  document.title = `${view ? view.title(here.values) : "multihop"} · multihop`;
  if (!view)
    fill(
      main,
      element("h1.unseen", "Nothing to show"),
      problem(`Page “${here.view}” not found.`, undefined, element("p", element("a", { href: "#/ask" }, "Go to the start page"))),
    );
  else if (!index) fill(main, noIndex(here));
  else view.show((page = pageFor(index, here)), here);
  scrollBack(before, signal);
  // As a browser does for a new page, so that keyboard and screen reader start at the view.
  if (!first) main.focus({ preventScroll: true });
  openNamed();
}

function noIndex(here) {
  const known = offered.indexes.map(({ name }) => element("a", { href: address(here.view, { index: name }) }, name));
  const said = here.values.index
    ? `Index “${here.values.index}” not found on this server.`
    : "This server has no index yet.";
  return [
    element("h1.unseen", "Nothing to show"),
    problem(said, undefined, known.length > 0 && [element("p", "Available indexes:"), list("ul", known)]),
  ];
}

/** The context of a view: where to draw, the server's data, and callbacks of the page. */
function pageFor(index, here) {
  const results = [];
  return {
    ...offered,
    index,
    main,
    signal: leaving.signal,
    announce,
    go,
    passageHref: (id, beside = "") => withValues(here, { passage: id, beside }),
    remembered: (place) => answers.get(viewOf(place)),
    remember: (place, result) => remember(viewOf(place), result),
    showing: (...all) => {
      results.push(...all);
      openNamed();
    },
    resultWith: (id) => results.find((r) => r.evidence.some((e) => e.passage.id === id)) ?? results[0],
    indexChanged: async () => {
      // Cached answers may be outdated.
      answers.clear();
      offered.indexes = (await get("v1/indexes")).indexes;
      // The view counts the documents as the header does.
      Object.assign(index, offered.indexes.find((i) => i.name === index.name));
      fill(document.getElementById("top"), header(offered, here, offered.indexes.find((i) => i.name === index.name)));
    },
  };
}

function go(hash) {
  // The same URL fires no event: ask the question again.
  if (hash === location.hash) {
    answers.clear();
    shown = undefined;
    route();
  } else {
    location.hash = hash;
  }
}

function remember(place, result) {
  // A Map keeps the position of an existing key; delete it first to make it the newest.
  answers.delete(place);
  answers.set(place, result);
  if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value);
}

function announce(text) {
  document.getElementById("status").textContent = text;
}

// Closing the dialog by any means (button, Escape, backdrop) removes the passage from the URL.
dialog.addEventListener("close", () => {
  const here = parseAddress(location.hash);
  if (here.values.passage) location.hash = viewOf(here);
});
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

// "/" focuses the question or search field unless the user is typing.
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, textarea, select, dialog[open]");
  const field = document.querySelector("#question, #search");
  if (event.key !== "/" || writing || !field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// Links to anchors in the page must not change the view.
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
