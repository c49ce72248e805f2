// Saved items of an index in the browser's storage: past questions, and passages with pin, rating and note.

import { ASKED } from "./address.js";

const MOST_QUESTIONS = 100;
const NOTHING = { questions: [], passages: {} };

const keyOf = (index) => `multihop:${index}`;

/** All saved items of an index: {questions: [{...asked, strategy, at, found}], passages: {id: …}}. */
export function savedItems(index) {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(keyOf(index)) ?? "{}") };
  } catch {
    // No storage, or data written by another program.
    return { ...NOTHING };
  }
}

/** Save a question as the newest one; a repeated question moves to the top. */
export function saveQuestion(index, asked) {
  const kept = savedItems(index);
  const same = (a) => ["strategy", ...ASKED].every((name) => (a[name] ?? "") === (asked[name] ?? ""));
  write(index, { ...kept, questions: [asked, ...kept.questions.filter((a) => !same(a))].slice(0, MOST_QUESTIONS) });
}

/** Update a saved passage; without pin, rating and note it is removed. */
export function savePassage(index, passage, changes) {
  const kept = savedItems(index);
  const { id, title, document_id: document } = passage;
  const now = { at: new Date().toISOString(), ...kept.passages[id], id, title: title || document, ...changes };
  const { [id]: _, ...others } = kept.passages;
  write(index, { ...kept, passages: now.pinned || now.thumb || now.note ? { ...others, [id]: now } : others });
  return now;
}

/** Clear the saved questions of an index, its passages, or both. */
export function clearSaved(index, ...parts) {
  write(index, { ...savedItems(index), ...Object.fromEntries(parts.map((part) => [part, NOTHING[part]])) });
}

function write(index, kept) {
  try {
    localStorage.setItem(keyOf(index), JSON.stringify(kept));
  } catch {
    // Full or forbidden: the page works without storage.
  }
}
