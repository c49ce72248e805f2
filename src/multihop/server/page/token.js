// The bearer token: requested in a dialog when the server requires one, by signing in or by hand, stored for this tab only.

import { element, fill } from "./dom.js";

const KEY = "multihop-token";
const PENDING = "multihop-sign-in";
const SIGN_IN = "v1/sign-in";

/** The authorization header, if there is a token. */
export function bearer() {
  const token = sessionStorage.getItem(KEY);
  return token ? { authorization: `Bearer ${token}` } : {};
}

let asking = null;

/** Get a token, of a user who has just signed in or by asking; resolves to false if the user cancels. Requests share one dialog. */
export function askForToken() {
  asking ??= returned()
    .then((failure) => failure === null || shown(failure))
    .finally(() => (asking = null));
  return asking;
}

/** Let the user replace or delete the token; the page then reloads. */
export async function changeToken() {
  const said = "This tab has a token. You can replace or delete it.";
  const chosen = await choice("Token", said, [element("button", { value: "forget", formnovalidate: true }, "Delete it")]);
  if (chosen === "forget") sessionStorage.removeItem(KEY);
  if (chosen) location.reload();
}

/** Finish a sign-in after the redirect; resolves to null if there is a token, else to the error. */
async function returned() {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  const given = new URLSearchParams(location.search);
  if (!pending || !(given.has("code") || given.has("error"))) return "";
  sessionStorage.removeItem(PENDING);
  history.replaceState(null, "", `${location.pathname}${pending.hash}`);
  if (given.has("error")) return `Signing in failed: ${given.get("error_description") || given.get("error")}.`;
  // A code with another state is not from a sign-in that this tab has begun.
  if (given.get("state") !== pending.state) return "Signing in failed: the response belongs to another sign-in.";
  const body = JSON.stringify({ code: given.get("code"), verifier: pending.verifier, back: here() });
  const answer = await json(SIGN_IN, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (!answer.token) return `Signing in failed: ${answer.error?.message ?? "the server is not responding"}.`;
  sessionStorage.setItem(KEY, answer.token);
  return null;
}

/** Leave for the sign-in provider; the page resumes at the same view. */
function leave({ url, state, verifier }) {
  sessionStorage.setItem(PENDING, JSON.stringify({ state, verifier, hash: location.hash }));
  location.assign(url);
  return new Promise(() => {});
}

async function shown(failure) {
  const refused = sessionStorage.getItem(KEY) !== null;
  // Empty if the server has no provider.
  const provider = await json(`${SIGN_IN}?back=${encodeURIComponent(here())}`);
  if (provider.url) {
    const chosen = await choice("Sign in", failure || (refused ? "Your sign-in has expired, or was rejected." : ""), [], true);
    return chosen === "sign-in" ? leave(provider) : chosen === "use";
  }
  const said = refused
    ? "The token was rejected. Enter another one."
    : "Ask the operator of the server for one. It is stored until you close this tab or delete it.";
  return (await choice("This server requires a token", said)) === "use";
}

const here = () => location.origin + location.pathname;

async function json(path, options) {
  try {
    return await (await fetch(path, options)).json();
  } catch {
    return {};
  }
}

/** Show the dialog; resolves to "use" after storing the entered token, to "forget", "sign-in", or to "". */
function choice(title, said, more = [], signIn = false) {
  const dialog = document.getElementById("token");
  const input = element("input", { type: "password", name: "token", id: "token-value", autocomplete: "off", required: true });
  const form = element(
    "form.stack",
    { method: "dialog" },
    element("h2", { id: "token-title" }, title),
    said && element("p", said),
    signIn &&
      element("p.buttons", element("button.primary", { type: "button", on: { click: () => dialog.close("sign-in") } }, "Sign in")),
    element("label", { for: "token-value" }, signIn ? "Or a token" : "Token"),
    input,
    element(
      "p.buttons",
      element(signIn ? "button" : "button.primary", { value: "use" }, "Use this token"),
      more,
      element("button", { value: "", formnovalidate: true, type: "submit" }, "Cancel"),
    ),
  );
  fill(dialog, form);
  // Reset the previous choice.
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
