// Adding documents: file uploads with progress, or text entered in the page.

import { address } from "../address.js";
import { at, waitForJob, putNew, upload } from "../api.js";
import { pluralize, element, fill, list } from "../dom.js";
import { parseFilter, jsonOf } from "../filters.js";
import { restoreDraft, clearDrafts } from "./draft.js";
import { showError, problem } from "./problem.js";
import { progressPart } from "./progress.js";

const LISTED = 20;
/** Options for files with unusual field names or encodings. */
const READING = [
  ["text_field", "Text field or column", "Description"],
  ["title_field", "Title field", "Name"],
  ["id_field", "Id field", "Code"],
  ["encoding", "Encoding of text files, UTF-8 if empty", "cp1252"],
];

/** The section for adding documents; `onAdded` is called after the index has changed. */
export function uploadPart(page, onAdded) {
  const said = element("div.upload-state");
  const report = async (text, problems = []) => {
    await page.indexChanged();
    const more = problems.length > LISTED ? [`… and ${problems.length - LISTED} more.`] : [];
    fill(
      said,
      element("p.yes", { role: "status" }, text, " ", element("a", { href: address("ask", { index: page.index.name }) }, "Ask a question")),
      problems.length > 0 && list("ul.no", [...problems.slice(0, LISTED), ...more]),
    );
    onAdded();
  };
  return element(
    "details.upload",
    element("summary", "Add documents"),
    element("div.sides", fileForm(page, said, report), textForm(page, said, report)),
    said,
  );
}

function fileForm(page, said, report) {
  const input = element("input", { id: "files", type: "file", multiple: true, required: true });
  const replace = element("input", { id: "replace", type: "checkbox" });
  const metadata = element("input", { id: "file-metadata", autocomplete: "off", placeholder: "country=Chile; year=2020" });
  const reading = READING.map(([name, label, placeholder]) => [
    label,
    element("input", { id: `file-${name}`, name, autocomplete: "off", placeholder }),
  ]);
  const form = element(
    "form.stack",
    { on: { submit: send, dragover: (e) => e.preventDefault(), drop } },
    element("h2", "Files"),
    element("label", { for: "files" }, "Text, Markdown, HTML, JSON, JSONL, CSV, PDF, Word, slides, spreadsheets, mail or e-books; you can drop them here"),
    input,
    element("label", { for: "file-metadata" }, "Metadata for all files that lack it"),
    metadata,
    element(
      "details.reading",
      element("summary", "Field names and encoding"),
      reading.map(([label, field]) => [element("label", { for: field.id }, label), field]),
    ),
    element("label", replace, " Replace documents that have the same id"),
    element("p", element("button.primary", { type: "submit" }, "Upload")),
  );
  function drop(event) {
    event.preventDefault();
    input.files = event.dataTransfer.files;
  }
  async function send(event) {
    event.preventDefault();
    if (!input.files.length) return fill(said, problem("Choose a file first."));
    const done = { documents: 0, replaced: 0, problems: [] };
    const files = [...input.files];
    try {
      const given = reading.map(([, field]) => [field.name, field.value.trim()]).filter(([, value]) => value);
      const options = { replace: replace.checked, metadata: parseFilter(metadata.value), given };
      for (const [i, file] of files.entries()) {
        const what = files.length > 1 ? `${i + 1} of ${files.length}, ${file.name}` : file.name;
        addTo(done, await uploaded(page, file, options, { said, what }).catch((error) => refused(file, error, files)));
      }
      form.reset();
      await report(summaryOf(done), done.problems);
    } catch (error) {
      showError(said, error, () => form.requestSubmit());
    }
  }
  return form;
}

/** Record a file that the server rejects, so that the others are still sent; rethrow errors that end the upload. */
function refused(file, error, files) {
  const over = !error.status || error.status === 401 || error.status === 507;
  if (over || files.length === 1) throw error;
  return { documents: 0, replaced: 0, problems: [error.message.includes(file.name) ? error.message : `${file.name}: ${error.message}`] };
}

async function uploaded(page, file, { replace, metadata, given }, { said, what }) {
  const body = new FormData();
  body.append("file", file, file.name);
  body.append("replace", String(replace));
  if (Object.keys(metadata ?? {}).length) body.append("metadata", jsonOf(metadata));
  for (const [name, value] of given) body.append(name, value);
  const progress = progressPart(what);
  fill(said, progress.place);
  const job = await upload(at(page.index.name, "uploads"), body);
  return (await waitForJob(job, progress.update, page.signal)).result;
}

function addTo(done, result) {
  done.documents += result.documents;
  done.replaced += result.replaced;
  done.problems.push(...result.problems);
}

function summaryOf({ documents, replaced }) {
  const added = pluralize(documents, "document");
  return replaced ? `${added} added, ${replaced} of them replaced older ones.` : `${added} added.`;
}

function textForm(page, said, report) {
  const name = restoreDraft(element("input", { id: "new-title", required: true, maxlength: 500, autocomplete: "off", dir: "auto" }), "title");
  const text = restoreDraft(element("textarea", { id: "new-text", rows: 4, required: true, dir: "auto" }), "text");
  const form = element(
    "form.stack",
    { on: { submit: send } },
    element("h2", "Text"),
    element("label", { for: "new-title" }, "Title"),
    name,
    element("label", { for: "new-text" }, "Text"),
    text,
    element("p", element("button.primary", { type: "submit" }, "Add")),
  );
  async function send(event) {
    event.preventDefault();
    try {
      const added = name.value.trim();
      const wanted = idOf(added);
      const id = await addedAs(page.index.name, wanted, { title: added, text: text.value });
      clearDrafts("title", "text");
      form.reset();
      await report(id === wanted ? `“${added}” was added.` : `“${added}” was added as ${id}, because ${wanted} exists.`);
    } catch (error) {
      showError(said, error, () => form.requestSubmit());
    }
  }
  return form;
}

/** Add a document under a free id: the wanted one, numbered if taken. Returns the id. */
async function addedAs(index, wanted, document) {
  for (let number = 1; ; number++) {
    const id = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      await putNew(at(index, "documents", id), document);
      return id;
    } catch (error) {
      if (error.status !== 412) throw error;
    }
  }
}

/** An id derived from a title: "Fram (ship)" becomes "fram-ship". */
export function idOf(title) {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const id = plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return [...id].slice(0, 100).join("") || "document";
}
