// The evidence as a ranked list: passage, reason, hop, scores by signal.

import { element } from "../dom.js";
import { finderFor, marked } from "./highlight.js";
import { cameIn } from "./hops.js";
import { placeOf } from "./labels.js";

const LONG = 600;
const SHOWN = 50;

/** The ranked list; `hrefOf` gives the address that opens a passage. */
export function evidenceList(result, hrefOf) {
  if (!result.evidence.length)
    return element("p", { class: "soft" }, "No passage was found. Ask with other words, or loosen the filter.");
  const terms = finderFor(result);
  const most = mostBySignal(result.evidence);
  const hops = cameIn(result);
  const list = element("ol", { class: "evidence" });
  const more = element("button", { type: "button", on: { click: () => add().querySelector("a").focus() } });
  function add() {
    const cards = result.evidence
      .slice(list.childElementCount, list.childElementCount + SHOWN)
      .map((e) => card(e, hops.get(e.passage.id) ?? e.hop, terms, most, hrefOf));
    list.append(...cards);
    more.textContent = `Show more (${list.childElementCount} of ${result.evidence.length} shown)`;
    more.hidden = list.childElementCount === result.evidence.length;
    return cards[0];
  }
  add();
  return [list, more];
}

function card(evidence, hop, terms, most, hrefOf) {
  const { passage } = evidence;
  return element(
    "li",
    { class: `card h${hop % 8}`, id: `rank-${evidence.rank}` },
    element("span", { class: "rank", "aria-hidden": "true" }, evidence.rank),
    element(
      "div",
      { class: "about" },
      element(
        "h3",
        {},
        element("a", { href: hrefOf(passage.id) }, passage.title || passage.document_id),
        heading(passage),
      ),
      element("p", { class: "reason" }, hopBadge(hop), " ", evidence.reason),
      body(passage, terms, hrefOf),
      metadataLine(passage.metadata),
      signals(evidence, most),
    ),
  );
}

function onPage(passage) {
  return passage.page && element("span", { class: "soft heading" }, `, p. ${passage.page}`);
}

function heading(passage) {
  const place = passage.position > 0 && element("span", { class: "soft heading" }, ` ${placeOf(passage.id)}`);
  const below = passage.heading && element("span", { class: "soft heading" }, ` › ${passage.heading}`);
  return [place, below, onPage(passage)];
}

/** A badge that says with which hop something came in. */
export function hopBadge(hop) {
  return element("span", { class: `hop-badge h${hop % 8}` }, `hop ${hop}`);
}

function body(passage, terms, hrefOf) {
  const text = element("p", { class: "text" }, marked(passage.text, terms, passage.id, hrefOf));
  if (passage.text.length <= LONG) return text;
  text.classList.add("clamped");
  const button = element(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false", on: { click: toggle } },
    "Show in full",
  );
  function toggle() {
    const open = text.classList.toggle("clamped") === false;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Show less" : "Show in full";
  }
  return [text, button];
}

/** Metadata on one line: "country Norway  year 1892"; an address becomes a link that shows its host. */
export function metadataLine(metadata) {
  const fields = Object.entries(metadata ?? {}).filter(([, value]) => String(value).trim() !== "");
  if (!fields.length) return null;
  return element(
    "p",
    { class: "metadata" },
    fields.map(([field, value]) =>
      element("span", {}, element("span", { class: "soft" }, field), " ", [value].flat().map(shownValue)),
    ),
  );
}

function shownValue(value, i) {
  const text = `${i > 0 ? ", " : ""}${value}`;
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return text;
  return element("a", { href: value, title: value, target: "_blank", rel: "noopener noreferrer" }, new URL(value).host);
}

/** Scores by signal as small bars, each against the best of its signal in this result. */
export function signals(evidence, most) {
  const rows = Object.entries(evidence.scores);
  return element(
    "ul",
    { class: "signals", "aria-label": "Scores by signal" },
    element("li", { class: "total" }, element("span", {}, "score"), element("b", {}, evidence.score.toFixed(2))),
    rows.map(([signal, score]) =>
      element(
        "li",
        {},
        element("span", {}, signal),
        element("span", { class: "bar", "aria-hidden": "true", vars: { share: share(score, most[signal]) } }),
        element("b", {}, number(score)),
      ),
    ),
  );
}

/** The best score of every signal. */
export function mostBySignal(evidence) {
  const most = {};
  for (const { scores } of evidence) {
    for (const [signal, score] of Object.entries(scores)) most[signal] = Math.max(most[signal] ?? 0, score);
  }
  return most;
}

function share(score, most) {
  return most > 0 ? Math.max(0, Math.min(1, score / most)).toFixed(3) : 0;
}

function number(score) {
  return Math.abs(score) >= 10 ? score.toFixed(1) : score.toFixed(2);
}
