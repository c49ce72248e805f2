// A question field with a button, for views without further options.

import { element, fill } from "../dom.js";
import { submitOnEnter } from "./question-form.js";

/** A form with one question; `onAsk(question)` gets the input, `more` is shown below the field. */
export function questionField({ label, placeholder, button, value = "", onAsk }, ...more) {
  const question = element("textarea", {
    id: "question", name: "q", rows: 1, maxlength: 20000, value, placeholder, dir: "auto", "aria-describedby": "form-problem",
    on: { keydown: submitOnEnter },
  });
  const wrong = element("p.wrong", { id: "form-problem", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    const asked = question.value.trim();
    fill(wrong, asked ? "" : "Enter a question.");
    question.setAttribute("aria-invalid", String(!asked));
    if (asked) onAsk(asked);
    else question.focus();
  };
  return element(
    "form.ask",
    { novalidate: true, on: { submit } },
    element("label.unseen", { for: "question" }, label),
    element("div.search", question, element("button.primary", { type: "submit" }, button)),
    more,
    wrong,
  );
}
