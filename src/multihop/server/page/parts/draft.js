// What is being written and not sent yet, kept for the tab: it is there again after another view or index was looked at.

/** Fill a field with its draft, where it is empty, and keep what is written into it. */
export function drafted(field, name) {
  const key = `draft:${name}`;
  if (!field.value) field.value = sessionStorage.getItem(key) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value));
  return field;
}

/** Forget drafts, when what was written has been sent. */
export function dropDrafts(...names) {
  for (const name of names) sessionStorage.removeItem(`draft:${name}`);
}
