// The evaluation reports that the server was given.

import { blob } from "../api.js";
import { element, fill } from "../dom.js";
import { failed } from "../parts/problem.js";
import { bearer } from "../token.js";

export const title = () => "Reports";

/** List the reports; each is a page of its own. */
export function show(page) {
  const said = element("div", {});
  fill(
    page.main,
    element("h1", {}, "Evaluation reports"),
    page.reports.length
      ? element(
          "ul",
          { class: "documents" },
          page.reports.map((r) =>
            element(
              "li",
              {},
              element(
                "a",
                {
                  href: r.address,
                  target: "_blank",
                  rel: "noopener",
                  on: { click: (event) => withToken(event, r, said) },
                },
                r.name,
              ),
              r.modified && element("span", { class: "soft" }, ` ${r.modified.slice(0, 10)}`),
            ),
          ),
        )
      : element(
          "p",
          { class: "soft" },
          "There is none. Write one with multihop eval … --report, and start the server with --reports.",
        ),
    said,
  );
}

/** A link carries no token, so where one is in use the report is fetched and saved instead of opened. */
async function withToken(event, report, said) {
  if (!bearer().authorization) return;
  event.preventDefault();
  try {
    const href = URL.createObjectURL(await blob(report.address));
    element("a", { href, download: `${report.name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  } catch (error) {
    failed(said, error);
  }
}
