// A survey as a table for spreadsheets: one row for each group and question, with the value that was found.

const FINDING = ["number", "unit", "confidence", "sentence", "title", "document", "date", "page", "url", "passage"];
const COLUMNS = ["group", "question", "label", "text", "value", ...FINDING, "score", "method"];

/** Write the results of a survey as CSV. */
export function surveyCsv(survey) {
  const rows = survey.results.flatMap(({ metadata, questions }) =>
    Object.values(questions).map((q) => {
      const [first = {}] = q.findings ?? [];
      const best = q.top_k_chunks[0]?.combined_score;
      return [
        metadata[survey.group],
        q.question_number,
        q.label,
        q.question,
        q.value,
        ...FINDING.map((name) => first[name]),
        best === undefined ? "" : Number(best.toFixed(4)),
        metadata.retrieval_method,
      ];
    }),
  );
  return [COLUMNS, ...rows].map(csvLine).join("");
}

/** One line of CSV. */
export function csvLine(row) {
  return `${row.map(field).join(",")}\r\n`;
}

/** A spreadsheet takes a text that begins like a formula for one; an apostrophe before it keeps it a text. */
function field(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
