// Drafts: unsent text of a field, stored for the tab, so that it survives a change of view or index.

/** Restore the draft of an empty field, and store what is typed. */
export function restoreDraft(field, name) {
  const key = `draft:${name}`;
  if (!field.value) field.value = sessionStorage.getItem(key) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value));
  return field;
}

/** Clear drafts after sending. */
export function clearDrafts(...names) {
  for (const name of names) sessionStorage.removeItem(`draft:${name}`);
}
