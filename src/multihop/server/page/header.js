// The header: navigation, index selection, theme.

import { address } from "./address.js";
import { pluralize, element } from "./dom.js";
import { bearer, changeToken } from "./token.js";

const WITHIN = { document: "documents", report: "reports" };
const NAMES = { ask: "Ask", chat: "Chat", research: "Research", compare: "Compare", documents: "Documents", survey: "Survey", reports: "Reports", saved: "Saved" };

/** The header for an address; views without content on this server are hidden. */
export function header(offered, here, index) {
  const hidden = { survey: offered.profiles.length === 0, reports: offered.reports.length === 0 };
  const current = WITHIN[here.view] ?? here.view;
  const views = Object.entries(NAMES).filter(([view]) => !hidden[view]);
  return element(
    "div.topbar",
    element(
      "a.brand",
      { href: address("ask", { index: index?.name }) },
      // The versioned URL from the page, which the browser has cached.
      element("img", { src: document.querySelector("link[rel=icon]").href, alt: "", width: 22, height: 22 }),
      "multihop",
    ),
    element(
      "nav",
      { "aria-label": "Views" },
      views.map(([view, name]) =>
        element("a", { href: address(view, { index: index?.name }), "aria-current": view === current && "page" }, name),
      ),
    ),
    index && indexChoice(offered.indexes, here, index),
    bearer().authorization &&
      element("button.quiet", { type: "button", on: { click: changeToken } }, "Token"),
    themeButton(),
  );
}

function indexChoice(indexes, here, index) {
  const size = pluralize(index.documents, "document");
  const view = WITHIN[here.view] ?? here.view;
  if (indexes.length === 1)
    return element("span.index.soft", index.name, element("span.size", `, ${size}`));
  const select = element(
    "select",
    { id: "index", "aria-label": "Index", on: { change: () => (location.hash = address(view, { index: select.value })) } },
    indexes.map((i) =>
      element("option", { value: i.name, selected: i === index }, `${i.name} (${i.documents.toLocaleString("en")})`),
    ),
  );
  return select;
}

function themeButton() {
  const root = document.documentElement;
  const dark = () =>
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = element("button.theme", { type: "button", on: { click: turn } });
  label();
  function label() {
    button.textContent = dark() ? "☀" : "☾";
    button.setAttribute("aria-label", dark() ? "Use light colors" : "Use dark colors");
    button.title = button.getAttribute("aria-label");
  }
  function turn() {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // Then the choice lasts until the page is closed.
    }
    label();
  }
  return button;
}
