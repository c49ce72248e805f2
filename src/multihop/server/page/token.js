// The bearer token: requested in a dialog when the server requires one, stored for this tab only.

import { element, fill } from "./dom.js";

const KEY = "multihop-token";

/** The authorization header, if there is a token. */
export function bearer() {
  const token = sessionStorage.getItem(KEY);
  return token ? { authorization: `Bearer ${token}` } : {};
}

let asking = null;

/** Ask for a token; resolves to false if the user cancels. Concurrent requests share one dialog. */
export function askForToken() {
  asking ??= shown().finally(() => (asking = null));
  return asking;
}

/** Let the user replace or delete the token; the page then reloads. */
export async function changeToken() {
  const said = "This tab has a token. You can replace or delete it.";
  const chosen = await choice("Token", said, element("button", { value: "forget", formnovalidate: true }, "Delete it"));
  if (chosen === "forget") sessionStorage.removeItem(KEY);
  if (chosen) location.reload();
}

async function shown() {
  const refused = sessionStorage.getItem(KEY) !== null;
  const said = refused
    ? "The token was rejected. Enter another one."
    : "Ask the operator of the server for one. It is stored until you close this tab or delete it.";
  return (await choice("This server requires a token", said)) === "use";
}

/** Show the dialog; resolves to "use" after storing the entered token, to "forget", or to "". */
function choice(title, said, ...more) {
  const dialog = document.getElementById("token");
  const input = element("input", { type: "password", name: "token", id: "token-value", autocomplete: "off", required: true });
  const form = element(
    "form.stack",
    { method: "dialog" },
    element("h2", { id: "token-title" }, title),
    element("p", said),
    element("label", { for: "token-value" }, "Token"),
    input,
    element(
      "p.buttons",
      element("button.primary", { value: "use" }, "Use this token"),
      more,
      element("button", { value: "", formnovalidate: true, type: "submit" }, "Cancel"),
    ),
  );
  fill(dialog, form);
  // Reset the choice of the last time.
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      const given = input.value.trim();
      const chosen = dialog.returnValue === "use" && !given ? "" : dialog.returnValue;
      if (chosen === "use") sessionStorage.setItem(KEY, given);
      resolve(chosen);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}
