// The hop in which each passage was added, for the badges, the graph and the comparison.

/** Passage id → number of the hop that added it; for a passage that left and returned, the hop of its return. */
export function cameIn(result) {
  const hops = new Map();
  for (const hop of result.trace.hops) for (const id of hop.entered) hops.set(id, hop.number);
  return hops;
}
