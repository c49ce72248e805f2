// Controls to save a passage: pin it to a collection, rate it, write a note.

import { element, fill, shape } from "../dom.js";
import { savePassage, savedItems } from "../saved-items.js";
import { rate } from "./feedback.js";

const THUMBS = [["up", "This helps"], ["down", "This does not help"]];

/** Drawn, because not every font has this character. */
function thumbSign(way) {
  const path = "M2 7h3v7H2zM6 7l3-5.5c1.6 0 2 1.2 1.7 2.4L10.2 6H13c1 0 1.6.9 1.4 1.8l-1 4.8c-.2.8-.8 1.4-1.6 1.4H6z";
  return shape("svg", { class: `thumb ${way}`, viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" }, shape("path", { d: path }));
}

/** Buttons for a passage; `question` is stored with it. */
export function saveControls(page, passage, question) {
  const place = element("div.keeping");
  const index = page.index.name;
  const known = () => savedItems(index).passages[passage.id] ?? {};
  const keep = (changes) => {
    savePassage(index, passage, { question: known().question ?? question, ...changes });
    if (changes.thumb && question) rate(page, question, [passage.id], changes.thumb === "up");
  };
  const labelled = passage.title || passage.document_id;
  const spoken = element("span.unseen", `: ${labelled}`);
  const pressed = (label, name, on, change) =>
    element("button.chip", { type: "button", "aria-pressed": String(on), title: name, on: { click: () => (keep(change), draw(name)) } }, label, spoken.cloneNode(true));
  function draw(focus) {
    const { pinned, thumb } = known();
    fill(
      place,
      pressed(pinned ? "★ Pinned" : "☆ Pin", "Pin", Boolean(pinned), { pinned: !pinned }),
      THUMBS.map(([way, name]) => pressed([thumbSign(way), element("span.unseen", name)], name, thumb === way, { thumb: thumb === way ? "" : way })),
      noteButton(),
    );
    // The pressed button was redrawn; restore the focus.
    if (focus) [...place.querySelectorAll("button")].find((b) => b.title === focus)?.focus();
  }
  function noteButton() {
    const { note } = known();
    return element("button.chip", { type: "button", on: { click: write } }, note ? `✎ ${note}` : "✎ Note", spoken.cloneNode(true));
  }
  function write() {
    const { note = "", collection = "" } = known();
    const text = element("textarea", { rows: 2, "aria-label": "Note", placeholder: "A note", value: note });
    const group = element("input", { "aria-label": "Collection", placeholder: "Collection", value: collection, autocomplete: "off" });
    const save = (event) => {
      event.preventDefault();
      keep({ note: text.value.trim(), collection: group.value.trim(), pinned: known().pinned || group.value.trim() !== "" });
      draw();
      place.querySelector("button:last-child").focus();
    };
    fill(place, element("form.note", { on: { submit: save } }, text, group, element("button", { type: "submit" }, "Save")));
    text.focus();
  }
  draw();
  return place;
}
