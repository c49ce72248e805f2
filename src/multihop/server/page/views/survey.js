// Runs the questions of a profile on every group of documents (such as countries) and shows a table of answers.

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
    element("p.soft", "Ask every group of documents the same questions and compare the answers."),
    page.maySurvey
      ? formPart(page, here, place)
      : element("p.notice", "Your token can read surveys; running one requires the scope “survey”."),
    place,
  );
  if (here.values.job) follow(page, here.values.job, place);
  else showEarlier(page, place);
}

/** The form, folded where a survey is shown. */
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

function surveyForm(page, here, place) {
  const profile = element(
    "select",
    { id: "profile", name: "profile" },
    page.profiles.map((p) => element("option", { value: p.name, selected: p.name === here.values.profile }, p.name)),
  );
  const about = element("small.soft");
  const asked = element("details.asked");
  const tell = () => {
    const chosen = page.profiles.find((p) => p.name === profile.value);
    fill(about, chosen?.description ?? "");
    fill(asked, questionList(chosen?.questions ?? []));
  };
  profile.addEventListener("change", tell);
  tell();
  const plain = { type: "text", autocomplete: "off" };
  const questions = element("input", { ...plain, id: "numbers", inputmode: "numeric", placeholder: "all, or 1, 3, 4" });
  const groups = element("input", { ...plain, id: "groups", placeholder: "all, or names with commas" });
  const hop = element("input", { id: "hop", type: "checkbox" });
  async function run(event) {
    event.preventDefault();
    await withRetry(place, async () => {
      const asked = requestFor(profile.value, questions.value, groups.value, hop.checked);
      const job = await post(at(page.index.name, "surveys"), asked, page.signal);
      page.go(address("survey", { index: page.index.name, profile: profile.value, job: job.id }));
    });
  }
  return element(
    "form.ask",
    { on: { submit: run } },
    element(
      "div.options",
      element("div.field.strategy", element("label", { for: "profile" }, "Profile"), profile),
      element("div.field", element("label", { for: "numbers" }, "Questions"), questions),
      element("div.field.grow", element("label", { for: "groups" }, "Groups"), groups),
      element("div.field.check", hop, element("label", { for: "hop" }, "also follow links")),
      element("button.primary", { type: "submit" }, "Run the survey"),
    ),
    about,
    asked,
  );
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
      surveyTables(result, page.passageHref),
    );
    page.announce("The survey is complete.");
  });
}
