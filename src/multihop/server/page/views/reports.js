// The reports that the server was given: evaluations, and surveys with a page for each group.

import { address } from "../address.js";
import { counted, element, fill, list } from "../dom.js";

export const title = () => "Reports";

/** List the reports; the pages that belong to an overview stand below it. */
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
          "There is none. Write one with ",
          element("code", "multihop eval … --report"),
          " or ",
          element("code", "multihop survey … --out"),
          ", and start the server with ",
          element("code", "--reports"),
          ".",
        ),
  );
}

/** Reports with the pages of their folder: those of a folder that has an index.html belong to it. */
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
  return element("details", element("summary", counted(pages.length, "page")), list("ul.inline", pages.map((p) => line(page, p))));
}

function about(report) {
  const size = `${Math.ceil(report.bytes / 1000).toLocaleString("en")} kB`;
  return element("span.soft", element("code", report.name), ` ${report.modified.slice(0, 10)}, ${size}`);
}
