// What a person reads when something went wrong, and what they can do next.

import { element } from "../dom.js";

/** A notice with a message, and a button to try again where that can help; `more` stands between them. */
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

/** Do some work that fills a place; where it fails the error is shown there, with a button that does it again. */
export async function attempted(place, work) {
  try {
    await work();
  } catch (error) {
    failed(place, error, () => {
      place.replaceChildren(element("p.soft", "Loading…"));
      attempted(place, work);
    });
  }
}

/** Show an error in place of what was asked for; leaving the view is none. */
export function failed(place, error, retry) {
  if (error.name === "AbortError") return;
  // Such an error is a mistake of the page: it is thrown on, so that it is seen where mistakes are looked for.
  if (error.status === undefined) {
    place.replaceChildren(problem("This page made a mistake. Load it again; if that does not help, please report it."));
    throw error;
  }
  // What is wrong with the request itself is wrong the next time too.
  const helps = error.status === 0 || error.status === 401 || error.status >= 429;
  const label = error.status === 401 ? "Give a token" : "Try again";
  place.replaceChildren(notice(error.message, helps && retry, label, []));
}
