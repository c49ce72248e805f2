// Export of a result as Markdown: question, answer, chain, evidence with reasons and metadata, coverage, trace.

import { pluralize } from "../dom.js";
import { cameIn } from "./hops.js";
import { inWords, isOpen, percentOf } from "./sureness.js";

/** Format a result as Markdown; passage text is quoted and escaped. */
export function markdown(result, today = new Date().toISOString().slice(0, 10)) {
  const { evidence, coverage, trace } = result;
  const came = cameIn(result);
  const size = `${evidence.length} of at most ${result.k} passages, ${pluralize(trace.hops.length, "hop")}`;
  const lines = [
    ...[`# ${plain(result.question)}`, "", `Strategy ${code(trace.strategy.name)}, ${size}. Saved on ${today}.`, ""],
    ...answerLines(result.answer),
    ...["## Chain", "", ...chainLines(result), ""],
    ...["## Evidence", "", ...evidence.flatMap((e) => passageLines(e, came.get(e.passage.id) ?? e.hop))],
    ...["## Coverage", "", ...coverageLines(coverage.targets), ""],
    ...["## Trace", "", ...trace.hops.flatMap(hopLines)],
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function passageLines({ rank, passage, score, reason }, hop) {
  const about = `${code(passage.id)}, hop ${hop}, score ${score.toFixed(2)}`;
  const text = passage.text.split("\n").map((line) => `   > ${plain(line)}`);
  return [
    // Two trailing spaces are a line break.
    `${rank}. **${plain(citation(passage))}** (${about})  `,
    `   *${plain(reason)}*`,
    ...Object.entries(passage.metadata ?? {}).map(([field, value]) => `   - ${plain(field)}: ${plain([value].flat().join(", "))}`),
    "",
    ...text,
    "",
  ];
}

function answerLines(answer) {
  const [first] = answer?.sentences ?? [];
  if (!first) return [];
  const said = `> ${plain(first.quote.text)} (${code(first.quote.passage_id)})`;
  const likely = answer.statements.length ? "" : ` (${percentOf(answer.confidence)} % likely)`;
  const answered = isOpen(answer.text) ? `${answer.kind === "claim" ? "Not decided" : "Not sure"}. The closest sentence is:` : `**${plain(inWords(answer))}**${likely}`;
  return [`## ${answer.kind === "claim" ? "Claim" : "Answer"}`, "", answered, "", said, ""];
}

function chainLines({ chain, evidence }) {
  const titles = new Map(evidence.map(({ passage }) => [passage.id, passage.title || passage.document_id]));
  const lines = chain.links.map(
    (l) => `- ${plain(titles.get(l.source) ?? "the question")} → ${plain(titles.get(l.target))}: “${plain(l.quote.text)}”`,
  );
  return lines.length ? lines : ["No chain was found."];
}

function citation(passage) {
  const below = passage.heading ? ` › ${passage.heading}` : "";
  return `${passage.title || passage.document_id}${below}${passage.page ? `, p. ${passage.page}` : ""}`;
}

function coverageLines(targets) {
  if (!targets.length) return ["The question contains no names to check."];
  return targets.map((t) =>
    t.covered_by ? `- [x] ${plain(t.name)}: ${code(t.covered_by)}` : `- [ ] ${plain(t.name)}`,
  );
}

function hopLines(hop) {
  return [
    ...[`### Hop ${hop.number}`, ""],
    ...hop.found.map((f) => `- searched: ${plain(f.query.purpose)}, ${f.new} new`),
    ...(hop.entered.length ? [`- entered: ${hop.entered.map(code).join(", ")}`] : []),
    ...(hop.left.length ? [`- left: ${hop.left.map(code).join(", ")}`] : []),
    ...hop.replaced.map((r) => `- replaced: ${code(r.out)} by ${code(r.into)}, ${plain(r.reason)}`),
    ...[`- decision: ${hop.decision.stop ? "stop" : "go on"}, ${plain(hop.decision.reason)}`, ""],
  ];
}

function code(text) {
  return `\`${text.replace(/[`\s]+/g, " ")}\``;
}

/** Text on one line with markup escaped. */
export function plain(text) {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}
