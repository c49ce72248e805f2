// A result as Markdown, for a note or an issue: question, evidence with reasons, coverage, trace.

/** Write a result as Markdown; texts of passages are quoted and cannot become headings or markup. */
export function markdown(result) {
  const lines = [
    `# ${plain(result.question)}`,
    "",
    `Strategy \`${result.trace.strategy.name}\`, ${result.evidence.length} of at most ${result.k} passages, ${result.trace.hops.length} hops.`,
    "",
    "## Evidence",
    "",
  ];
  for (const e of result.evidence) {
    lines.push(
      `${e.rank}. **${plain(e.passage.title || e.passage.document_id)}** (\`${e.passage.id.replaceAll("`", "'")}\`, hop ${e.hop}, score ${e.score.toFixed(2)})  `,
    );
    lines.push(`   *${plain(e.reason)}*`, "", ...e.passage.text.split(/\n/).map((l) => `   > ${plain(l)}`), "");
  }
  lines.push("## Coverage", "");
  for (const t of result.coverage.targets)
    lines.push(
      `- [${t.covered_by ? "x" : " "}] ${plain(t.name)}${t.covered_by ? `: \`${t.covered_by.replaceAll("`", "'")}\`` : ""}`,
    );
  if (!result.coverage.targets.length) lines.push("The question names nothing to check off.");
  lines.push("", "## Trace", "");
  for (const hop of result.trace.hops) {
    lines.push(`### Hop ${hop.number}`, "");
    for (const f of hop.found) lines.push(`- searched: ${plain(f.query.purpose)}, ${f.new} new`);
    if (hop.entered.length) lines.push(`- came in: ${hop.entered.map(plain).join(", ")}`);
    if (hop.left.length) lines.push(`- left: ${hop.left.map(plain).join(", ")}`);
    for (const r of hop.replaced) lines.push(`- replaced: ${plain(r.out)} by ${plain(r.into)}, ${plain(r.reason)}`);
    lines.push(`- decided: ${hop.decision.stop ? "stop" : "go on"}, ${plain(hop.decision.reason)}`, "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function plain(text) {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}
