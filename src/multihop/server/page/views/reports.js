// The reports of the server: evaluations, and surveys with a page per group.

import { address } from "../address.js";
import { pluralize, element, fill, list } from "../dom.js";

export const title = () => "Reports";

/** List the reports; pages of an overview are listed below it. */
export function show(page) {
  fill(
    page.main,
    element("h1", "Reports"),
    page.reports.length
      ? list("ul.documents", grouped(page.reports).map(({ report, pages }) => [
          element("div", line(page, report), pages.length > 0 && below(page, pages)),
          about(report),
        ]))
      : element(
          "p.soft",
          "None yet. Write one with ",
          element("code", "multihop eval … --report"),
          " or ",
          element("code", "multihop survey … --out"),
          ", and start the server with ",
          element("code", "--reports"),
          ".",
        ),
  );
}

/** Reports with their pages: files in a folder with an index.html belong to it. */
export function grouped(reports) {
  const folderOf = (name) => name.slice(0, name.lastIndexOf("/") + 1);
  const overviews = new Set(reports.map((r) => r.name).filter((name) => /(^|\/)index\.html$/.test(name)));
  const overviewOf = ({ name }) => `${folderOf(name)}index.html`;
  const belongs = (r) => overviews.has(overviewOf(r)) && !overviews.has(r.name);
  const pagesOf = ({ name }) => reports.filter((r) => belongs(r) && overviewOf(r) === name);
  return reports
    .filter((r) => !belongs(r))
    .map((report) => ({ report, pages: pagesOf(report).sort((a, b) => (a.name < b.name ? -1 : 1)) }));
}

function line(page, report) {
  const href = address("report", { index: page.index.name, name: report.name });
  return element("a", { href }, report.title || report.name);
}

function below(page, pages) {
  return element("details", element("summary", pluralize(pages.length, "page")), list("ul.inline", pages.map((p) => line(page, p))));
}

function about(report) {
  const size = `${Math.ceil(report.bytes / 1000).toLocaleString("en")} kB`;
  return element("span.soft", element("code", report.name), ` ${report.modified.slice(0, 10)}, ${size}`);
}
