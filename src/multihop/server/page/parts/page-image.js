// The file of a document: a page of a PDF as an image with the quote marked, and its download.

import { at, receive } from "../api.js";
import { element, fill } from "../dom.js";
import { save } from "./download.js";

const MOST_QUOTED = 4000;

/** The page of a PDF with a quote, as a figure that loads itself; null if the server cannot show it. */
export function pageImage(page, { document_id: id, page: number, file }, quote) {
  if (!number || !file?.has_pages) return null;
  const figure = element("figure.page-image", element("p.soft", `Loading page ${number}…`));
  load(page, id, number, quote, figure);
  return figure;
}

async function load(page, id, number, quote, figure) {
  const asked = new URLSearchParams({ page: number, quote: [...quote].slice(0, MOST_QUOTED).join("") });
  try {
    const response = await receive(`${at(page.index.name, "pages", id)}?${asked}`, page.signal);
    const shown = response.headers.get("page-number");
    const marked = response.headers.get("quote-marked") === "yes";
    const src = await dataUrl(await response.blob());
    fill(
      figure,
      element("img", { src, alt: `Page ${shown} of the file${marked ? ", with the quote marked" : ""}` }),
      element("figcaption.soft", `Page ${shown}`),
    );
  } catch (error) {
    if (error.name !== "AbortError") fill(figure, element("p.soft", `Page ${number} cannot be shown: ${error.message}`));
  }
}

/** A button that downloads the file of a document; null if the server does not have it. */
export function fileButton(page, id, file) {
  if (!file) return null;
  const said = element("small.soft", { role: "status" });
  async function download() {
    try {
      const response = await receive(at(page.index.name, "files", id), page.signal);
      save(file.name, "application/octet-stream", await response.blob());
      fill(said);
    } catch (error) {
      if (error.name !== "AbortError") fill(said, error.message);
    }
  }
  return [element("button.quiet", { type: "button", on: { click: download } }, "Download the file"), " ", said];
}

/** The content security policy allows images from data URLs, not from blobs. */
function dataUrl(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}
