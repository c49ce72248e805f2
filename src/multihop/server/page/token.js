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

function shown() {
  const dialog = document.getElementById("token");
  const refused = sessionStorage.getItem(KEY) !== null;
  const input = element("input", {
    type: "password",
    name: "token",
    id: "token-value",
    autocomplete: "off",
    required: true,
  });
  const form = element(
    "form",
    { method: "dialog", class: "stack" },
    element("h2", { id: "token-title" }, "This server needs a token"),
    element(
      "p",
      {},
      refused
        ? "The token was not accepted. Give another one."
        : "Whoever runs the server can give you one. It is kept until you close this tab.",
    ),
    element("label", { for: "token-value" }, "Token"),
    input,
    element(
      "p",
      { class: "buttons" },
      element("button", { value: "use", class: "primary" }, "Use this token"),
      element("button", { value: "", formnovalidate: true, type: "submit" }, "Cancel"),
    ),
  );
  fill(dialog, form);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        const given = dialog.returnValue === "use" && input.value.trim() !== "";
        if (given) sessionStorage.setItem(KEY, input.value.trim());
        resolve(given);
      },
      { once: true },
    );
  });
}
