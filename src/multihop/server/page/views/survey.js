// Asks every file or group of documents the same questions and shows a table of answers.

import { address } from "../address.js";
import { at, waitForJob, get, jobAt, post, remove } from "../api.js";
import { pluralize, element, fill, list } from "../dom.js";
import { downloadButton } from "../parts/download.js";
import { withRetry, showError } from "../parts/problem.js";
import { progressPart } from "../parts/progress.js";
import { surveyCsv } from "../parts/survey-csv.js";
import { surveyTables } from "../parts/survey-table.js";

const EARLIER = 10;

export const title = () => "Survey";

/** Show the form; for an address with a job, show its progress, then its table. */
export function show(page, here) {
  const place = element("div.answer");
  fill(
    page.main,
    element("h1", "Survey"),
    element("p.soft", "Ask every file, or every group of documents, the same questions and compare the answers in a table."),
    page.maySurvey
      ? formPart(page, here, place)
      : element("p.notice", "Your token can read surveys; running one requires the right “survey”."),
    place,
  );
  if (here.values.job) follow(page, here.values.job, place);
  else showEarlier(page, place);
}

/** The form, folded if a survey is shown. */
function formPart(page, here, place) {
  const form = surveyForm(page, here, place);
  return here.values.job ? element("details.more-options", element("summary", "Run another survey"), form) : form;
}

/** Recent surveys of this index, newest first. */
async function showEarlier(page, place) {
  await withRetry(place, async () => {
    // All jobs, including those of other kinds and indexes.
    const { jobs } = await get("v1/jobs?limit=1000", page.signal);
    const earlier = jobs.filter((j) => j.kind === "survey" && j.index === page.index.name).slice(0, EARLIER);
    if (earlier.length === 0) return;
    fill(
      place,
      element("h2", "Earlier surveys"),
      list("ul.documents", earlier.map((j) => [
        element("a", { href: address("survey", { index: page.index.name, job: j.id }) }, when(j.created)),
        element("span.soft", j.state === "done" ? pluralize(j.total ?? j.done, "answer") : j.state),
      ])),
    );
  });
}

function when(time) {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** The form: questions in plain words, or those of a profile. */
function surveyForm(page, here, place) {
  const profileName = (name) => `profile:${name}`;
  const install = page.surveyInstall;
  const choice = element(
    "select",
    { id: "asked" },
    element("option", { value: "" }, "Your own questions"),
    element("optgroup", { label: "Lists of questions" }, page.questionLists.map((l) => element("option", { value: l.name }, l.name))),
    element(
      "optgroup",
      { label: install ? `Profiles: need ${install}` : "Profiles, with rules" },
      page.profiles.map((p) => element("option", { value: profileName(p.name), disabled: Boolean(install), selected: p.name === here.values.profile }, `${p.name} (by ${p.group})`)),
    ),
  );
  const parts = element("div");
  let read;
  const show = () => {
    const profile = page.profiles.find((p) => profileName(p.name) === choice.value);
    const [drawn, values] = profile ? profileFields(profile) : plainFields(page, page.questionLists.find((l) => l.name === choice.value));
    fill(parts, drawn);
    read = values;
  };
  choice.addEventListener("change", show);
  show();
  async function run(event) {
    event.preventDefault();
    await withRetry(place, async () => {
      const asked = read();
      const job = await post(at(page.index.name, "surveys"), asked, page.signal);
      page.go(address("survey", { index: page.index.name, ...(asked.profile ? { profile: asked.profile } : {}), job: job.id }));
    });
  }
  return element(
    "form.ask.survey-form",
    { on: { submit: run } },
    element("div.field", element("label", { for: "asked" }, "Ask"), choice),
    install && element("p.notice", `Profiles are not available on this server: ${install}`),
    parts,
    element("p.buttons", element("button.primary", { type: "submit" }, "Run the survey")),
  );
}

/** Fields for questions in plain words, filled with those of a list; also a function that reads the request from them. */
function plainFields(page, listed) {
  const lines = (listed?.columns ?? []).map((c) => c.question);
  const questions = element("textarea", {
    id: "questions", rows: Math.max(4, lines.length), value: lines.join("\n"), autocomplete: "off",
    placeholder: "One per line, such as:\nRevenue in 2023\nNumber of employees\nWho audits it?",
  });
  const rows = element(
    "select",
    { id: "by" },
    ["file", "title", "folder", ...Object.keys(page.index.fields ?? {}).filter((f) => !f.startsWith("file."))].map((f) => element("option", f)),
  );
  const drawn = [
    element("div.field", element("label", { for: "questions" }, "Columns: headings or questions"), questions),
    element("div.field", element("label", { for: "by" }, "One row for each"), rows),
  ];
  return [drawn, () => plainRequest(questions.value, rows.value, listed)];
}

/** The request for questions in plain words; an unchanged list is sent by name, since it has types. */
export function plainRequest(text, by, listed) {
  const ask = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const same = listed && ask.join("\n") === listed.columns.map((c) => c.question).join("\n");
  return { ...(same ? { question_list: listed.name } : { ask }), ...(by === "file" ? {} : { by }) };
}

/** Fields for a profile, and a function that reads the request from them. */
function profileFields(profile) {
  const plain = { type: "text", autocomplete: "off" };
  const questions = element("input", { ...plain, id: "numbers", inputmode: "numeric", placeholder: "all, or 1, 3, 4" });
  const groups = element("input", { ...plain, id: "groups", placeholder: "all, or names with commas" });
  const hop = element("input", { id: "hop", type: "checkbox" });
  const drawn = [
    element(
      "div.options",
      element("div.field", element("label", { for: "numbers" }, "Questions"), questions),
      element("div.field.grow", element("label", { for: "groups" }, `Rows: ${profile.group}`), groups),
      element("div.field.check", hop, element("label", { for: "hop" }, "also follow links")),
    ),
    element("small.soft", profile.description),
    element("details.asked", questionList(profile.questions)),
  ];
  return [drawn, () => requestFor(profile.name, questions.value, groups.value, hop.checked)];
}

/** The request body, with only the options that were set. */
export function requestFor(profile, questions, groups, hop) {
  const numbers = (questions.match(/\d+/g) ?? []).map(Number);
  const names = groups.split(",").map((g) => g.trim()).filter(Boolean);
  return {
    profile,
    ...(numbers.length ? { questions: numbers } : {}),
    ...(names.length ? { groups: names } : {}),
    ...(hop ? { hop } : {}),
  };
}

function questionList(questions) {
  return [
    element("summary", `Questions: ${questions.length}`),
    element("ol", questions.map((q) => element("li", { value: q.number }, q.text))),
  ];
}

async function follow(page, id, place) {
  const progress = progressPart("Survey");
  const stop = element("button", { type: "button", on: { click: end } }, "Stop");
  async function end() {
    try {
      await remove(jobAt(id));
    } catch (error) {
      showError(place, error);
    }
  }
  await withRetry(place, async () => {
    fill(place, progress.place, page.maySurvey && stop);
    const { result } = await waitForJob(await get(jobAt(id), page.signal), progress.update, page.signal);
    fill(
      place,
      element(
        "p.buttons.survey-buttons",
        downloadButton("CSV", `survey-${result.profile}.csv`, "text/csv", () => surveyCsv(result)),
        downloadButton("JSON", `survey-${result.profile}.json`, "application/json", () => JSON.stringify(result, null, 2)),
      ),
      surveyTables(result, page),
    );
    page.announce("The survey is complete.");
  });
}
