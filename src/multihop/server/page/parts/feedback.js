// Feedback on an answer, stored by a server that was started with --feedback.

import { at, post } from "../api.js";
import { element, fill } from "../dom.js";

/** Buttons that say whether an answer from the passages `cited` is right; nothing on a server without feedback. */
export function feedbackPart(page, question, cited) {
  if (!page.feedback || !cited.length) return null;
  const place = element("p.feedback.soft");
  const button = (label, right) => element("button.chip", { type: "button", on: { click: () => give(right) } }, label);
  async function give(right) {
    const stored = await rate(page, question, cited, right);
    fill(place, stored ? "Thank you. Your rating is stored on this server." : "Your rating could not be stored.");
  }
  return fill(place, "Is this right? ", button("Right", true), button("Wrong", false));
}

/** Store whether passages are right for a question; resolves to whether that worked. */
export async function rate(page, question, passages, right) {
  if (!page.feedback) return false;
  try {
    await post(at(page.index.name, "feedback"), { question, passages, rating: right ? "right" : "wrong" });
    return true;
  } catch (error) {
    if (error.status === undefined) throw error;
    return false;
  }
}
