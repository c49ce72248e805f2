// What a person keeps of their work with an index, in the browser: questions asked, and passages with pin, thumb and note.

import { ASKED } from "./address.js";

const MOST_QUESTIONS = 100;
const NOTHING = { questions: [], passages: {} };

const keyOf = (index) => `multihop:${index}`;

/** Everything that is kept of an index: {questions: [{...asked, strategy, at, found}], passages: {id: …}}. */
export function keptOf(index) {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(keyOf(index)) ?? "{}") };
  } catch {
    // A browser that keeps nothing, or what another program wrote there.
    return { ...NOTHING };
  }
}

/** Keep a question as the newest one; asked again it moves up. */
export function keepQuestion(index, asked) {
  const kept = keptOf(index);
  const same = (a) => ["strategy", ...ASKED].every((name) => (a[name] ?? "") === (asked[name] ?? ""));
  write(index, { ...kept, questions: [asked, ...kept.questions.filter((a) => !same(a))].slice(0, MOST_QUESTIONS) });
}

/** Change what is kept of a passage; one that is neither pinned nor rated nor has a note is forgotten. */
export function keepPassage(index, passage, changes) {
  const kept = keptOf(index);
  const { id, title, document_id: document } = passage;
  const now = { at: new Date().toISOString(), ...kept.passages[id], id, title: title || document, ...changes };
  const { [id]: _, ...others } = kept.passages;
  write(index, { ...kept, passages: now.pinned || now.thumb || now.note ? { ...others, [id]: now } : others });
  return now;
}

/** Forget the questions of an index, its passages, or both. */
export function forget(index, ...parts) {
  write(index, { ...keptOf(index), ...Object.fromEntries(parts.map((part) => [part, NOTHING[part]])) });
}

function write(index, kept) {
  try {
    localStorage.setItem(keyOf(index), JSON.stringify(kept));
  } catch {
    // Full, or forbidden: the page works without.
  }
}
