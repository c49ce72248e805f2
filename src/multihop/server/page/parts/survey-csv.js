// A survey as a table for spreadsheets: one row for each passage of each answer.

const COLUMNS = ["method", "group", "question", "label", "rank", "score", "passage", "title", "heading", "text"];

/** Write the results of a survey as CSV. */
export function surveyCsv(survey) {
  const rows = survey.results.flatMap(({ metadata, questions }) =>
    Object.values(questions).flatMap((q) =>
      q.top_k_chunks.map((c) => [
        metadata.retrieval_method,
        metadata[survey.group],
        q.question_number,
        q.label,
        c.rank,
        Number(c.combined_score.toFixed(4)),
        c.id,
        c.title,
        c.heading,
        c.content,
      ]),
    ),
  );
  return [COLUMNS, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** A spreadsheet takes a text that begins like a formula for one; an apostrophe before it keeps it a text. */
function field(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
