// The bearer token: asked for in a dialog when the server wants one, kept for this tab only.

import { element, fill } from "./dom.js";

const KEY = "multihop-token";

/** The header that carries the token, if there is one. */
export function bearer() {
  const token = sessionStorage.getItem(KEY);
  return token ? { authorization: `Bearer ${token}` } : {};
}

let asking = null;

/** Ask for a token; resolves to false when the person would rather not. Several requests share one dialog. */
export function askForToken() {
  asking ??= shown().finally(() => (asking = null));
  return asking;
}

/** Offer another token, or none; the page begins anew with what was chosen. */
export async function changeToken() {
  const said = "This tab has a token. Give another one in its place, or forget it.";
  const chosen = await choice("The token of this tab", said, element("button", { value: "forget", formnovalidate: true }, "Forget it"));
  if (chosen === "forget") sessionStorage.removeItem(KEY);
  if (chosen) location.reload();
}

async function shown() {
  const refused = sessionStorage.getItem(KEY) !== null;
  const said = refused
    ? "The token was not accepted. Give another one."
    : "Whoever runs the server can give you one. It is kept until you close this tab or forget it.";
  return (await choice("This server needs a token", said)) === "use";
}

/** Show the dialog; resolves to "use" when a token was given, which is kept then, to "forget", or to "". */
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
  // It still says what was chosen the last time.
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
