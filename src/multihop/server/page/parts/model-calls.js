// What a language model did in a hop and what it cost, where a strategy uses one.

import { counted, element, list } from "../dom.js";

/** The steps of one hop that were put to a model (hop 0 is the plan); nothing when there were none. */
export function modelCalls(trace, hop) {
  const calls = (trace.lm_calls ?? []).filter((call) => call.hop === hop);
  return calls.length > 0 && list("ul.plain", calls.map(callLine));
}

/** All tokens of a trace, in words; empty when no model was used. */
export function tokensOf(trace) {
  const calls = trace.lm_calls ?? [];
  const tokens = calls.reduce((sum, call) => sum + call.tokens_in + call.tokens_out, 0);
  return calls.length ? `${counted(calls.length, "model call")}, ${counted(tokens, "token")}` : "";
}

function callLine({ step, tokens_in: read, tokens_out: written, problem, cached }) {
  const cost = cached ? "from the cache" : `${read.toLocaleString("en")} + ${written.toLocaleString("en")} tokens`;
  return [step, element("small", ` ${cost}`), problem && element("span.no", ` a rule did it instead: ${problem}`)];
}
