// Snippets: the part of a text around matched words, for lists.

import { finder, highlight } from "./highlight.js";
import { questionWords, matchedForms } from "./question-match.js";

const LENGTH = 240;

/** The text around the first matched word, with all matched words highlighted. */
export function snippet(text, asked) {
  const forms = matchedForms(text, questionWords(asked));
  const first = Math.min(...forms.map((form) => text.indexOf(form)).filter((i) => i >= 0));
  const from = Number.isFinite(first) && first > LENGTH / 2 ? text.indexOf(" ", first - LENGTH / 3) + 1 : 0;
  const end = from + LENGTH < text.length ? text.lastIndexOf(" ", from + LENGTH) : text.length;
  const part = text.slice(from, end > from ? end : from + LENGTH).replace(/\s+/g, " ");
  const terms = finder(forms.map((form) => ({ text: form, kind: "word" })));
  return [from > 0 && "…", highlight(part, terms, "", () => ""), end < text.length && "…"];
}
