// Talks to the server: JSON requests, the stream of hops, uploads; asks for a token where one is needed.

import { askForToken, bearer } from "./token.js";
import { events } from "./sse.js";
import { jsonOf } from "./where.js";

const SILENT = "The server does not answer. Is it still running?";

/** Something a person can be told: what went wrong, and the HTTP status (0 when no server answered). */
export class Problem extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

export const get = async (path, signal) => (await send(path, { signal })).json();
export const post = async (path, body, signal) => (await send(path, json("POST", body, signal))).json();
/** Put something where nothing is yet; a Problem of status 412 says that something is. */
export async function putNew(path, body) {
  const request = json("PUT", body);
  request.headers["if-none-match"] = "*";
  return (await send(path, request)).json();
}
export const remove = (path) => send(path, { method: "DELETE" });
export const upload = async (path, form) => (await send(path, { method: "POST", body: form })).json();
export const text = async (path, signal) => (await send(path, { signal })).text();

/** A part of the page that comes when it is needed: `load` imports it. */
export async function loaded(load) {
  try {
    return await load();
  } catch (error) {
    // That is how a browser says that a module did not come; other errors are mistakes in it.
    throw error instanceof TypeError ? new Problem(SILENT) : error;
  }
}

/** The path of something that belongs to an index. */
export function at(index, ...parts) {
  return ["v1/indexes", ...[index, ...parts].map(encodeURIComponent)].join("/");
}

/**
 * Ask a question; `on.chain` is called in every hop with the chain so far, `on.hop` after it, and where a language model
 * answers `on.draft` with the result before that, and `on.words` with what it has written so far. Resolves to the result,
 * with the answer as `answer`.
 */
export async function ask(index, question, on, signal) {
  const response = await send(`${at(index, "answer")}/stream`, json("POST", question, signal));
  for await (const { event, data } of events(response.body)) {
    if (event === "hop" || event === "chain" || event === "words") on[event]?.(JSON.parse(data));
    // Waited for: the words that follow are written into what the draft has drawn.
    if (event === "draft") await on.draft?.(withAnswer(JSON.parse(data)));
    if (event === "answer") return withAnswer(JSON.parse(data));
    if (event === "error") throw problemOf(JSON.parse(data), 500);
  }
  throw new Problem("The server ended the answer before it was complete. Ask again.");
}

/** The result of an answer; its chain is the one that goes to the passage that holds the answer. */
function withAnswer({ result, ...answer }) {
  return { ...result, chain: answer.chain, answer };
}

/** The path of a job. */
export const jobAt = (id) => `v1/jobs/${encodeURIComponent(id)}`;

/** Wait for a job, calling `onProgress` with each state; resolves to the finished job. */
export async function finished(job, onProgress, signal) {
  let state = job;
  // A short job is seen to end at once, and a long one is not asked after more than once a second.
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
    // Only a missing or wrong token is asked for; then the same request is sent again with it.
    if (response.status !== 401) throw problemOf(await body(response), response.status);
    if (!(await askForToken())) throw new Problem("This server shows nothing without a token.", 401);
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

/** The answer to what first.js has asked for already: it counts once, and a failure not at all. */
function begun(path, { body = "", signal }) {
  const key = `${path} ${body}`;
  const found = globalThis.begun?.get(key);
  globalThis.begun?.delete(key);
  // When first.js asked, there was no view yet whose signal it could have given.
  signal?.addEventListener("abort", () => found?.leaving?.abort());
  return found?.answer;
}

async function body(response) {
  try {
    // What stands before the server, such as a proxy, may answer with something else.
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
