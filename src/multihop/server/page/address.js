// The URL of the current state: a view and its values in the hash, so that it can be shared and Back works.

/** The values of a question in the URL and in saved questions, apart from the strategy. */
export const ASKED = ["q", "k", "where", "at_most", "as_of"];

/** Pick the values of a question. */
export function askedOf(values) {
  return Object.fromEntries(ASKED.map((name) => [name, values[name]]));
}

/** Parse "#/ask?q=…" into {view, values}. */
export function parseAddress(hash) {
  // Only the first question mark is a separator; values may contain others.
  const [path, ...query] = hash.replace(/^#\/?/, "").split("?");
  return { view: path || "ask", values: Object.fromEntries(new URLSearchParams(query.join("?"))) };
}

/** Format an address; empty values are omitted. */
export function address(view, values = {}) {
  const kept = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  const query = new URLSearchParams(kept.map(([k, v]) => [k, String(v)])).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** The address of the current page with some values changed. */
export function withValues(here, changes) {
  return address(here.view, { ...here.values, ...changes });
}

/** The address of a view without open passages. */
export function viewOf(here) {
  return withValues(here, { passage: "", beside: "" });
}

/** Whether two addresses show the same view, ignoring open passages. */
export function sameView(a, b) {
  return Boolean(a && b) && viewOf(a) === viewOf(b);
}
