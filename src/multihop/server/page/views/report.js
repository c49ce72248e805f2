// One report inside the page: fetched with the token, shown in a frame that can do nothing in its name.

import { address } from "../address.js";
import { text } from "../api.js";
import { element, fill } from "../dom.js";
import { downloadButton } from "../parts/download.js";
import { attempted, problem } from "../parts/problem.js";
import { bearer } from "../token.js";

export const title = (values) => values.name ?? "Report";

/** Show the report that the address names, at the part that it names. */
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
  await attempted(place, async () => {
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

/** A frame without an origin: it says when it is ready, gets the report, and tells of links that are used. */
function frame(page, name, handed, said) {
  const made = element("iframe.report", { src: "frame.html", sandbox: "allow-scripts", title: name });
  let waiting = true;
  const hear = ({ source, data }) => {
    if (source !== made.contentWindow) return;
    // It has no origin that could be named; only what the frame was loaded with can have spoken first.
    if (waiting && data?.ready) made.contentWindow.postMessage(handed, "*");
    else if (typeof data?.open === "string") follow(page, name, data.open, said);
    waiting = false;
  };
  addEventListener("message", hear, { signal: page.signal });
  return made;
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

/** Where a link in a report leads: to another report that there is, to another site, or nowhere. */
export function targetOf(href, name, reports) {
  // No site can have a host of this ending, so links to other reports are told from links elsewhere.
  const here = new URL(name.split("/").map(encodeURIComponent).join("/"), "http://reports.invalid/");
  if (!URL.canParse(href, here)) return {};
  const to = new URL(href, here);
  if (to.origin !== here.origin) return /^https?:$/.test(to.protocol) ? { elsewhere: to.href } : {};
  const wanted = decodeURIComponent(to.pathname.slice(1));
  const known = reports.find((r) => r.name === wanted);
  return known ? { report: known.name, part: decodeURIComponent(to.hash.slice(1)) } : {};
}
