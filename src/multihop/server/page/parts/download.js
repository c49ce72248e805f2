// Downloads text generated in the page as a file.

import { element } from "../dom.js";

/** A button that downloads the result of `make`. */
export function downloadButton(label, name, type, make) {
  return element("button", { type: "button", on: { click: () => save(name, type, make()) } }, label);
}

/** Download text or a blob as a file. */
export function save(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href, download: name }).click();
  // Delayed, because the browser is still reading it.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** A file name from the first words of a question. */
export function fileName(question, ending) {
  const words = question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const short = words.length > 50 ? words.slice(0, 50).replace(/-[^-]*$/, "") : words;
  return `${short || "answer"}.${ending}`;
}
