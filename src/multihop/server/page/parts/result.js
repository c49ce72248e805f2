// Everything that is shown of one result: summary, evidence, hop graph, coverage, timeline, downloads.

import { address } from "../address.js";
import { at, post } from "../api.js";
import { counted, element, fill } from "../dom.js";
import { coveragePart } from "./coverage.js";
import { downloadButton, fileName } from "./download.js";
import { evidenceList } from "./evidence.js";
import { hopGraph } from "./graph.js";
import { passagesOf } from "./graph-model.js";
import { documentOf, labelsOf } from "./labels.js";
import { markdown } from "./markdown.js";
import { tokensOf } from "./model-calls.js";
import { milliseconds, timeline } from "./trace.js";

/** The parts of a result; titles of passages that left and links among them are fetched afterwards. */
export function resultPart(page, here, result) {
  let labels = labelsOf(result.evidence.map((e) => e.passage));
  const labelOf = (id) => labels.get(id) ?? documentOf(id);
  const link = (id) => element("a", { href: page.passageHref(id) }, labelOf(id));
  const graph = hopGraph(result, labelOf, page.passageHref);
  const trace = element("section", { "aria-labeledby": "trace-title" });
  const coverage = element("section", { "aria-labeledby": "coverage-title" });
  const write = () => {
    fill(
      coverage,
      element("h2", { id: "coverage-title" }, "Coverage"),
      coveragePart(result, labelOf, page.passageHref),
    );
    fill(trace, element("h2", { id: "trace-title" }, "Trace"), timeline(result, link));
  };
  write();
  learn(page, result)
    .then(({ passages, links }) => {
      labels = labelsOf(passages);
      graph.learn(links);
      write();
    })
    .catch((error) => {
      // Without links the graph still shows what the trace itself says.
      if (error.status === undefined && error.name !== "AbortError") throw error;
    });
  return element(
    "div",
    { class: "result" },
    summary(page, here, result),
    element(
      "div",
      { class: "columns" },
      element(
        "section",
        { class: "main-column", "aria-labeledby": "evidence-title" },
        element("h2", { id: "evidence-title" }, "Evidence"),
        shortage(result),
        evidenceList(result, page.passageHref),
      ),
      element(
        "div",
        { class: "side-column" },
        result.trace.hops.some((h) => h.entered.length > 0) &&
          element(
            "section",
            { "aria-labeledby": "graph-title" },
            element("h2", { id: "graph-title" }, "Hop graph"),
            graph.place,
            legend(),
          ),
        coverage,
        trace,
      ),
    ),
  );
}

function learn(page, result) {
  return post(at(page.index.name, "graph"), { passages: passagesOf(result) }, page.signal);
}

function summary(page, here, result) {
  const { hops, seconds, strategy } = result.trace;
  const { values } = here;
  const covered = result.coverage.targets.filter((t) => t.covered_by).length;
  const facts = [
    counted(result.evidence.length, "passage"),
    counted(hops.length, "hop"),
    seconds && milliseconds(seconds),
    tokensOf(result.trace),
    result.coverage.targets.length > 0 && `${covered} of ${result.coverage.targets.length} covered`,
  ].filter(Boolean);
  const other = strategy.name === "bm25" ? "auto" : "bm25";
  return element(
    "div",
    { class: "summary" },
    element("p", {}, element("b", {}, facts.join(" · "))),
    element(
      "p",
      { class: "buttons" },
      element(
        "a",
        {
          class: "button",
          href: address("compare", {
            index: values.index,
            q: values.q,
            k: values.k,
            where: values.where,
            a: strategy.name,
            b: other,
          }),
        },
        `Compare with ${other}`,
      ),
      downloadButton("JSON", fileName(result.question, "json"), "application/json", () =>
        JSON.stringify(result, null, 1),
      ),
      downloadButton("Markdown", fileName(result.question, "md"), "text/markdown", () => markdown(result)),
      copyButton(page),
    ),
  );
}

function copyButton(page) {
  const button = element("button", { type: "button", on: { click: copy } }, "Copy link");
  async function copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      page.announce("The address of this question was copied.");
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  }
  return button;
}

function shortage(result) {
  if (!result.short) return false;
  const hints = result.trace.notes.filter((n) => n.startsWith("no document has "));
  return [
    result.evidence.length > 0 &&
      element(
        "p",
        { class: "soft" },
        `${counted(result.evidence.length, "passage")} of the ${result.k} asked for; no more could be reached.`,
      ),
    ...hints.map((hint) => element("p", { class: "no" }, `${hint[0].toUpperCase()}${hint.slice(1)}`)),
  ];
}

function legend() {
  return element(
    "p",
    { class: "legend soft" },
    "A line leads from what was found to what it names. ",
    element("span", { class: "left-key" }, "Dashed"),
    " passages left the evidence again. Point at one to see all its links.",
  );
}
