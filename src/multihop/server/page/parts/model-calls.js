// Language model calls of a hop and their cost.

import { pluralize, element, list } from "../dom.js";

/** The model calls of one hop (hop 0 is the plan), or nothing. */
export function modelCalls(trace, hop) {
  const calls = (trace.lm_calls ?? []).filter((call) => call.hop === hop);
  return calls.length > 0 && list("ul.plain", calls.map(callLine));
}

/** Calls and tokens of a trace as text; empty if no model was used. */
export function tokensOf(trace) {
  const calls = trace.lm_calls ?? [];
  const tokens = calls.reduce((sum, call) => sum + call.tokens_in + call.tokens_out, 0);
  return calls.length ? `${pluralize(calls.length, "model call")}, ${pluralize(tokens, "token")}` : "";
}

function callLine({ step, tokens_in: read, tokens_out: written, problem, cached }) {
  const cost = cached ? "from the cache" : `${read.toLocaleString("en")} + ${written.toLocaleString("en")} tokens`;
  return [step, element("small", ` ${cost}`), problem && element("span.no", ` rule used instead: ${problem}`)];
}
