// Client of the HTTP API: JSON requests, event streams, uploads; asks for a token when required.

import { askForToken, bearer } from "./token.js";
import { events } from "./sse.js";
import { jsonOf } from "./filters.js";

const SILENT = "The server is not responding. Is it still running?";

/** An error to show to the user: a message and the HTTP status (0 when the server did not respond). */
export class Problem extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

export const get = async (path, signal) => (await send(path, { signal })).json();
export const post = async (path, body, signal) => (await send(path, json("POST", body, signal))).json();
/** PUT that fails with a Problem of status 412 if the resource exists. */
export async function putNew(path, body) {
  const request = json("PUT", body);
  request.headers["if-none-match"] = "*";
  return (await send(path, request)).json();
}
export const remove = (path) => send(path, { method: "DELETE" });
export const upload = async (path, form) => (await send(path, { method: "POST", body: form })).json();
/** GET anything; resolves to the response. */
export const receive = (path, signal) => send(path, { signal });
export const text = async (path, signal) => (await send(path, { signal })).text();

/** Import a module on demand. */
export async function importPart(load) {
  try {
    return await load();
  } catch (error) {
    // Browsers raise TypeError when a module fails to load; other errors are bugs in it.
    throw error instanceof TypeError ? new Problem(SILENT) : error;
  }
}

/** The path of a resource of an index. */
export function at(index, ...parts) {
  return ["v1/indexes", ...[index, ...parts].map(encodeURIComponent)].join("/");
}

/**
 * Ask a question; `on.chain` is called in every hop with the chain so far, `on.hop` after it, and `on.draft` with a result
 * that is still being checked (noted as "unchecked") or the one before a language model answers, whose text so far is
 * given to `on.words`. Resolves to the result, with the answer as `answer`.
 */
export async function ask(index, question, on, signal) {
  const response = await send(`${at(index, "answer")}/stream`, json("POST", question, signal));
  for await (const { event, data } of events(response.body)) {
    if (event === "hop" || event === "chain" || event === "words") on[event]?.(JSON.parse(data));
    // Awaited, because the words that follow are written into the drawn draft.
    if (event === "draft") await on.draft?.(withAnswer(JSON.parse(data)));
    if (event === "answer") return withAnswer(JSON.parse(data));
    if (event === "error") throw problemOf(JSON.parse(data), 500);
  }
  throw new Problem("The connection closed before the answer was complete. Try again.");
}

/** Answer a question with the turns before it; resolves to the turn to send with the next one, and the result. */
export async function askFollowUp(index, question, signal) {
  const { turn, answer } = await post(at(index, "conversation"), question, signal);
  return { turn, result: withAnswer(answer) };
}

/** The result of an answer, with the chain that leads to the answering passage. */
function withAnswer({ result, ...answer }) {
  return { ...result, chain: answer.chain, answer };
}

/** The path of a job. */
export const jobAt = (id) => `v1/jobs/${encodeURIComponent(id)}`;

/** Wait for a job, calling `onProgress` with each state; resolves to the finished job. */
export async function waitForJob(job, onProgress, signal) {
  let state = job;
  // Polls a short job quickly, a long one at most once a second.
  for (let wait = 100; ; wait = Math.min(1000, wait * 1.5)) {
    onProgress(state);
    if (state.state === "done") return state;
    if (state.state === "failed" || state.state === "stopped")
      throw new Problem(state.message || `The job ${state.state}.`, 500);
    await pause(wait, signal);
    state = await get(jobAt(job.id), signal);
  }
}

function json(method, body, signal) {
  return { method, body: jsonOf(body), signal, headers: { "content-type": "application/json" } };
}

async function send(path, options) {
  for (;;) {
    const response = await reached(path, options);
    if (response.ok) return response;
    // For a missing or wrong token, ask for one and repeat the request.
    if (response.status !== 401) throw problemOf(await body(response), response.status);
    if (!(await askForToken())) throw new Problem("This server requires a token.", 401);
  }
}

async function reached(path, options) {
  try {
    return (await begun(path, options)) ?? (await fetch(path, { ...options, headers: { ...options.headers, ...bearer() } }));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(SILENT);
  }
}

/** The response that preload.js has already requested; used once, and not if it failed. */
function begun(path, { body = "", signal }) {
  const key = `${path} ${body}`;
  const found = globalThis.begun?.get(key);
  globalThis.begun?.delete(key);
  // There was no view yet whose signal preload.js could have used.
  signal?.addEventListener("abort", () => found?.leaving?.abort());
  return found?.answer;
}

async function body(response) {
  try {
    // A proxy may respond with something other than JSON.
    return await response.json();
  } catch {
    return {};
  }
}

function problemOf(answer, status) {
  const { message, status: said } = answer?.error ?? {};
  return new Problem(message || `The server answered with status ${status}.`, said ?? status);
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("left", "AbortError"));
    });
  });
}
