// With which hop each passage came in: what the badges, the graph and the comparison all show.

/** Passage id → number of the hop with which it came in; of one that left and came back, the hop of its return. */
export function cameIn(result) {
  const hops = new Map();
  for (const hop of result.trace.hops) for (const id of hop.entered) hops.set(id, hop.number);
  return hops;
}
