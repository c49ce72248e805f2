// One report: fetched with the token, shown in a sandboxed frame.

import { address } from "../address.js";
import { text } from "../api.js";
import { element, fill } from "../dom.js";
import { downloadButton } from "../parts/download.js";
import { withRetry, problem } from "../parts/problem.js";
import { bearer } from "../token.js";

export const title = (values) => values.name ?? "Report";

/** Show the report in the address, scrolled to its section. */
export async function show(page, here) {
  const { name = "", part = "" } = here.values;
  const said = element("div");
  const place = element("div", element("p.soft", "Loading…"));
  const buttons = element("p.buttons");
  fill(
    page.main,
    element(
      "div.summary.report-bar",
      element("p", element("a", { href: address("reports", { index: page.index.name }) }, "All reports")),
      element("h1", page.reports.find((r) => r.name === name)?.title || name),
      buttons,
    ),
    said,
    place,
  );
  await withRetry(place, async () => {
    const report = await text(pathOf(name), page.signal);
    fill(place, frame(page, name, { report, part }, said));
    fill(
      buttons,
      !bearer().authorization &&
        element("a.button", { href: pathOf(name), target: "_blank", rel: "noopener" }, "Open in a tab"),
      downloadButton("Save", name.split("/").at(-1), "text/html", () => report),
    );
  });
}

function pathOf(name) {
  return `reports/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** A frame without an origin: it reports when it is ready, receives the report, and posts clicked links. */
function frame(page, name, handed, said) {
  const iframe = element("iframe.report", { src: "frame.html", sandbox: "allow-scripts", title: name });
  let waiting = true;
  const hear = ({ source, data }) => {
    if (source !== iframe.contentWindow) return;
    // The frame has no origin to check; only its own document can send the first message.
    if (waiting && data?.ready) iframe.contentWindow.postMessage(handed, "*");
    else if (typeof data?.open === "string") follow(page, name, data.open, said);
    waiting = false;
  };
  addEventListener("message", hear, { signal: page.signal });
  return iframe;
}

function follow(page, name, href, said) {
  const { report, part, elsewhere } = targetOf(href, name, page.reports);
  if (report) page.go(address("report", { index: page.index.name, name: report, part }));
  else if (elsewhere)
    fill(
      said,
      problem(
        "The report links to another site:",
        undefined,
        element("p", element("a", { href: elsewhere, target: "_blank", rel: "noopener noreferrer" }, elsewhere)),
      ),
    );
}

/** The target of a link in a report: another report, another site, or none. */
export function targetOf(href, name, reports) {
  // No real host ends in .invalid, so this distinguishes links to reports from external links.
  const here = new URL(name.split("/").map(encodeURIComponent).join("/"), "http://reports.invalid/");
  if (!URL.canParse(href, here)) return {};
  const to = new URL(href, here);
  if (to.origin !== here.origin) return /^https?:$/.test(to.protocol) ? { elsewhere: to.href } : {};
  const wanted = decodeURIComponent(to.pathname.slice(1));
  const known = reports.find((r) => r.name === wanted);
  return known ? { report: known.name, part: decodeURIComponent(to.hash.slice(1)) } : {};
}
