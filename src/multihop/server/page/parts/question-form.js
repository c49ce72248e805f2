// The question form: question, strategies, budget, filter and limits. Its values become the URL.

import { at, post } from "../api.js";
import { cut, element, fill } from "../dom.js";
import { parseLimits, parseFilter } from "../filters.js";
import { restoreDraft, clearDrafts } from "./draft.js";
import { conditionFor, conditionsOf, offered } from "./facets.js";
import { valueText } from "./metadata.js";

export const DEFAULT_K = 10;
const MOST_K = 1000;
const FIELDS_OFFERED = 5;
const VALUES_OFFERED = 8;
/** Fields with the validity of a document. */
const DATED = ["valid_from", "valid_until", "supersedes", "superseded_by", "version_of"];

/** The form; `choices` are [{name, label, value}] strategy selects, `onAsk(values)` gets the entered values. */
export function questionForm(page, values, choices, onAsk) {
  const { q = "", k: most = DEFAULT_K, where: filter = "", at_most: atMost = "", as_of: asOf = "" } = values;
  const fields = Object.keys(page.index.fields ?? {});
  const question = element("textarea", {
    id: "question", name: "q", rows: 1, maxlength: 20000, value: q, dir: "auto", "aria-describedby": "form-problem",
    placeholder: "A question or a claim", on: { keydown: submitOnEnter },
  });
  restoreDraft(question, "question");
  const number = { type: "number", min: 1, max: MOST_K, inputmode: "numeric" };
  const text = { type: "text", autocomplete: "off", spellcheck: "false" };
  const k = element("input", { ...number, id: "k", name: "k", value: most });
  const where = element("input", { ...text, id: "where", name: "where", placeholder: hint(fields), value: filter });
  const bounds = element("input", {
    ...text, id: "at-most", name: "at_most", placeholder: `${fields[0]}=2`, value: atMost,
    title: "Maximum number of passages per value of a field",
  });
  const day = element("input", {
    type: "date", id: "as-of", name: "as_of", value: asOf, title: "Only documents that are valid on this day; by default today",
  });
  const dated = DATED.some((name) => fields.includes(name));
  const wrong = element("p.wrong", { id: "form-problem", role: "alert" });
  const strategies = choices.map((c) => strategyChoice(page, c));
  const comparing = choices.length > 1;
  const offered = element("div.offered");
  const options = element("details.more-options", { on: { toggle: () => offerValues(page, where, offered) } });
  const form = element(
    "form.ask",
    { novalidate: true, on: { submit } },
    element("label.unseen", { for: "question" }, "Question or claim"),
    element("div.search", question, element("button.primary", { type: "submit" }, comparing ? "Compare" : "Ask")),
    comparing && element("div.options", strategies),
    options,
    wrong,
  );
  fill(
    options,
    element("summary", "Options", element("span.soft", chosenOptions(values, !comparing && page.defaultStrategy))),
    element(
      "div.options",
      !comparing && strategies,
      field("Maximum passages", k, "k"),
      fields.length > 0 && [
        element("div.field.grow", element("label", { for: "where" }, "Only documents with"), where),
        field("Limit per source", bounds, "at-most"),
        dated && field("As of", day, "as-of"),
        offered,
      ],
    ),
  );

  function submit(event) {
    event.preventDefault();
    const problem = problemWith(question.value, k.value, where.value, bounds.value);
    fill(wrong, problem?.message ?? "");
    question.setAttribute("aria-invalid", String(problem?.field === "q"));
    if (problem) {
      options.open ||= problem.field !== "q";
      return { q: question, k, where, at_most: bounds }[problem.field].focus();
    }
    const chosen = Object.fromEntries(choices.map((c) => [c.name, form.elements[c.name].value]));
    clearDrafts("question");
    onAsk({ q: question.value.trim(), k: k.value, where: where.value.trim(), at_most: bounds.value.trim(), as_of: day.value, ...chosen });
  }
  return form;
}

/** The first invalid input as {field, message}, or nothing. */
export function problemWith(question, k, where, bounds = "") {
  if (!question.trim()) return { field: "q", message: "Enter a claim or a question first." };
  if (!/^\d+$/.test(k) || Number(k) < 1 || Number(k) > MOST_K)
    return { field: "k", message: `The number of passages must be a whole number from 1 to ${MOST_K}.` };
  for (const [field, read, text] of [["where", parseFilter, where], ["at_most", parseLimits, bounds]]) {
    try {
      read(text);
    } catch (error) {
      return { field, message: error.message };
    }
  }
  return undefined;
}

/** The request body for the values of an address. */
export function requestOf(values, strategy) {
  const where = parseFilter(values.where ?? "");
  const bounds = parseLimits(values.at_most ?? "");
  return {
    question: values.q,
    k: Number(values.k ?? DEFAULT_K),
    strategy,
    ...(Object.keys(where).length ? { where } : {}),
    ...(Object.keys(bounds).length ? { at_most: bounds } : {}),
    ...(values.as_of ? { as_of: values.as_of } : {}),
  };
}

export function submitOnEnter(event) {
  // During composition, as in Japanese, Enter selects a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}

function strategyChoice(page, { name, label, value, optional }) {
  const option = (s) => {
    const missing = missingFor(s, page.index);
    return element(
      "option",
      { value: s.name, selected: s.name === value, disabled: Boolean(missing), title: s.description },
      missing ? `${s.name} (${missing})` : s.name,
    );
  };
  const select = element(
    "select",
    { id: name, name },
    optional && element("option", { value: "", selected: !value }, "none"),
    group(page.strategies).map(([group, all]) => element("optgroup", { label: group }, all.map(option))),
  );
  const about = () => {
    const chosen = page.strategies.find((s) => s.name === select.value);
    return chosen ? [element("b", chosen.name), `: ${chosen.description}`] : [];
  };
  const said = element("small.strategy-about", { id: `${name}-about` }, about());
  select.setAttribute("aria-describedby", said.id);
  select.addEventListener("change", () => fill(said, about()));
  return [element("div.field.strategy", element("label", { for: name }, label), select), said];
}

const GROUPS = {
  Recommended: ["auto", "auto-fast"],
  "Other strategies": [],
  "Better with a language model": ["gap", "listwise", "gap-documented", "listwise-documented"],
  Baselines: ["bm25"],
  "Needs vectors": ["dense", "hybrid-rrf"],
};

/** Strategies by purpose, as [group, strategies]; unlisted ones are "Other strategies". */
export function group(strategies) {
  const groupOf = ({ name }) => Object.keys(GROUPS).find((g) => GROUPS[g].includes(name)) ?? "Other strategies";
  return Object.keys(GROUPS)
    .map((group) => [group, strategies.filter((s) => groupOf(s) === group)])
    .filter(([, all]) => all.length);
}

/** Why a strategy cannot run on an index, or "". */
function missingFor({ needs_vectors: needsVectors, install }, index) {
  if (install) return `needs ${install}`;
  return needsVectors && !index.embedder ? "this index has no vectors; index with --embedder" : "";
}

function field(label, input, id) {
  return element("div.field", element("label", { for: id }, label), input);
}

function hint([first]) {
  return first ? `${first}=value; other>=number` : "";
}

/** The options of an address that are not the default, in a few words. */
function chosenOptions({ strategy, k, where, at_most: atMost, as_of: day }, usual) {
  const said = [
    usual && strategy && strategy !== usual && strategy,
    k && Number(k) !== DEFAULT_K && `at most ${k} passages`,
    where,
    atMost && `limit ${atMost}`,
    day && `as of ${day}`,
  ];
  return said.filter(Boolean).map((text) => ` · ${text}`).join("");
}

/** Offer the most frequent values of the index's fields; pressing one adds it to the filter or removes it. */
async function offerValues(page, input, place) {
  if (place.hasChildNodes() || !Object.keys(page.index.fields ?? {}).length) return;
  const asked = { search: "", where: {}, sort: "", descending: false, page: 1, limit: 1 };
  let facets;
  try {
    ({ facets } = await post(at(page.index.name, "catalog"), asked, page.signal));
  } catch (error) {
    // The filter can be typed without them.
    if (error.status === undefined && error.name !== "AbortError") throw error;
    return;
  }
  const fields = facets.filter(offered).slice(0, FIELDS_OFFERED);
  const chip = (field) => ({ value }) => valueChip(conditionFor(field, value), valueText(value), input);
  const row = ({ field, values }) => element("p.values", element("b", field), values.slice(0, VALUES_OFFERED).map(chip(field)));
  fill(place, fields.map(row));
}

function valueChip(condition, label, input) {
  const chosen = () => conditionsOf(input.value);
  const chip = element("button.chip", { type: "button", dir: "auto", on: { click: toggle } }, cut(label, 30));
  const show = () => chip.setAttribute("aria-pressed", String(chosen().includes(condition)));
  function toggle() {
    const rest = chosen().filter((c) => c !== condition);
    input.value = (rest.length < chosen().length ? rest : [...rest, condition]).join("; ");
    show();
  }
  input.addEventListener("input", show);
  show();
  return chip;
}
