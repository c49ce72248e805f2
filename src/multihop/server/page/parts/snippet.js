// The part of a text that has to do with some words, for lists in which whole texts have no room.

import { finder, marked } from "./highlight.js";
import { askedWords, formsOf } from "./shared.js";

const LENGTH = 240;

/** The text around the first word that it shares with what was asked, with all such words marked. */
export function snippet(text, asked) {
  const forms = formsOf(text, askedWords(asked));
  const first = Math.min(...forms.map((form) => text.indexOf(form)).filter((i) => i >= 0));
  const from = Number.isFinite(first) && first > LENGTH / 2 ? text.indexOf(" ", first - LENGTH / 3) + 1 : 0;
  const end = from + LENGTH < text.length ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const part = text.slice(from, end > from ? end : from + LENGTH).replace(/\s+/g, " ");
  const terms = finder(forms.map((form) => ({ text: form, kind: "word" })));
  return [from > 0 && "…", marked(part, terms, "", () => ""), end < text.length && "…"];
}
