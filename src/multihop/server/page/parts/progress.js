// Progress of a job: a bar with text.

import { element, fill } from "../dom.js";

/** A progress bar; `update(job)` shows the state of a job. */
export function progressPart(what) {
  const bar = element("progress", { "aria-label": what });
  const text = element("span", `${what}…`);
  return {
    place: element("p.progress", bar, " ", text),
    update(job) {
      if (job.total) [bar.max, bar.value] = [job.total, job.done];
      const far = job.total
        ? `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`
        : job.done.toLocaleString("en");
      fill(text, `${what}: ${job.message || job.state} ${job.done ? far : ""}`);
    },
  };
}
