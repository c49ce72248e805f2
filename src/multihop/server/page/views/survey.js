// Run a set of questions over groups of documents and see the best passage of each in one table.

import { element, fill } from "../dom.js";

export const title = () => "Survey";

/** Show the form, and the table once it has run. */
export function show(page) {
  fill(page.main, element("h1", {}, "Survey"));
}
