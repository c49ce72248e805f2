// The address of what is shown: a view and its values in the hash, so that it can be shared and the way back works.

/** What is asked, as an address and a saved question hold it; the strategy stands beside it. */
export const ASKED = ["q", "k", "where", "at_most"];

/** Of some values, those that are asked. */
export function askedOf(values) {
  return Object.fromEntries(ASKED.map((name) => [name, values[name]]));
}

/** Read "#/ask?q=…" into {view, values}. */
export function parsed(hash) {
  // Only the first question mark divides: a value may hold others.
  const [path, ...query] = hash.replace(/^#\/?/, "").split("?");
  return { view: path || "ask", values: Object.fromEntries(new URLSearchParams(query.join("?"))) };
}

/** Write an address; empty values are left out. */
export function address(view, values = {}) {
  const kept = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  const query = new URLSearchParams(kept.map(([k, v]) => [k, String(v)])).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** The address of the page shown now, with some values changed. */
export function changed(here, changes) {
  return address(here.view, { ...here.values, ...changes });
}

/** The address of a view without the passages that are open over it. */
export function viewOf(here) {
  return changed(here, { passage: "", beside: "" });
}

/** Say whether two addresses show the same view, apart from the passages that are open over it. */
export function sameView(a, b) {
  return Boolean(a && b) && viewOf(a) === viewOf(b);
}
