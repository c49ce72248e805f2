// Hands a text made in the page to the person as a file.

import { element } from "../dom.js";

/** A button that downloads what `make` gives when it is pressed. */
export function downloadButton(label, name, type, make) {
  return element("button", { type: "button", on: { click: () => save(name, type, make()) } }, label);
}

function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href, download: name }).click();
  // Not at once: the browser has only begun to read it.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** A file name made of the first words of a question. */
export function fileName(question, ending) {
  const words = question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const short = words.length > 50 ? words.slice(0, 50).replace(/-[^-]*$/, "") : words;
  return `${short || "answer"}.${ending}`;
}
