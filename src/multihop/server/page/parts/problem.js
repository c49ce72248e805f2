// Error messages for the user, with a way to retry.

import { element } from "../dom.js";

/** A notice with a message, and a retry button if `retry` is given; `more` goes between them. */
export function problem(message, retry, ...more) {
  return notice(message, retry, "Try again", more);
}

function notice(message, retry, label, more) {
  return element(
    "div.notice.problem",
    { role: "alert" },
    element("p", message),
    more,
    retry && element("p", element("button", { type: "button", on: { click: retry } }, label)),
  );
}

/** Run work that fills an element; on failure, show the error there with a retry button. */
export async function withRetry(place, work) {
  try {
    await work();
  } catch (error) {
    showError(place, error, () => {
      place.replaceChildren(element("p.soft", "Loading…"));
      withRetry(place, work);
    });
  }
}

/** Show an error in place of the content; an aborted request is ignored. */
export function showError(place, error, retry) {
  if (error.name === "AbortError") return;
  // Without a status it is a bug in the page: rethrow it, so that it appears in the console.
  if (error.status === undefined) {
    place.replaceChildren(problem("Something went wrong in this page. Reload it; if that does not help, please report it."));
    throw error;
  }
  // Retrying does not help if the request itself is invalid.
  const helps = error.status === 0 || error.status === 401 || error.status >= 429;
  const label = error.status === 401 ? "Enter a token" : "Try again";
  place.replaceChildren(notice(error.message, helps && retry, label, []));
}
