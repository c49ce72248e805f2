// How sure an answer is, in words: the same in every view, export and announcement.

/** Below this many percent an answer is shown as a guess. */
const SURE = 70;

export const percentOf = (confidence) => Math.round(confidence * 100);

/** Whether an answer is not a guess; as displayed: what is 70 % likely is not introduced as a guess. */
export const isSure = (confidence) => percentOf(confidence) >= SURE;

/** Whether the text of a claim decides nothing. */
export const isOpen = (text) => !text || text === "undecided";

/** An answer in a few words: "Larvik", "Possibly 1931", "not decided"; empty if there is none. */
export function inWords(answer) {
  const { kind, text, confidence, statements } = answer;
  if (kind === "claim" && isOpen(text)) return "not decided";
  if (!text || statements.length || isSure(confidence)) return text;
  return `Possibly ${text}`;
}
