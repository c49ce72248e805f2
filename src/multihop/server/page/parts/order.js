// Reading order of the passages of a result, and their numbers in the chain, the evidence and the graph.

/**
 * The evidence grouped by role, each in reading order; without a chain everything is in the first group. What the answer
 * cites supports it, even if no chain leads there.
 */
export function groupByRole(result, chain) {
  if (!chain.links.length) return { chain: result.evidence, supporting: [], filling: [] };
  const byId = new Map(result.evidence.map((e) => [e.passage.id, e]));
  const all = (ids) => ids.map((id) => byId.get(id)).filter(Boolean);
  const cited = new Set(result.answer ? citedIn(result.answer) : []);
  const needed = chain.filling.filter((id) => cited.has(id));
  return {
    chain: all(rowsOf(chain.links).flat().map((l) => l.target)),
    supporting: all([...needed, ...chain.supporting]),
    filling: all(chain.filling.filter((id) => !cited.has(id))),
  };
}

/** The passages that an answer cites. */
export function citedIn({ statements, sentences }) {
  const quotes = [...statements.flatMap((s) => s.quotes), ...sentences.map((s) => s.quote)];
  return [...new Set(quotes.map((q) => q.passage_id))];
}

/** Passage id → its number in reading order: chain, then supporting passages, then the rest. */
export function numbersOf(result, chain) {
  const { chain: along, supporting, filling } = groupByRole(result, chain);
  const ids = [...along, ...supporting, ...filling, ...result.evidence].map((e) => e.passage.id);
  return new Map([...new Set(ids)].map((id, i) => [id, i + 1]));
}

/** Arrange links in rows, left to right: each continues the previous one or starts a new row. */
export function rowsOf(links) {
  const rows = [];
  for (const link of links) {
    const before = link.source && rows.find((row) => row.at(-1).target === link.source);
    if (before) before.push(link);
    else rows.push([link]);
  }
  return rows;
}
