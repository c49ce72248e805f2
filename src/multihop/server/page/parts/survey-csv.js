// Export of a survey as CSV: one row per group and question, with the value found.

const FINDING = ["number", "unit", "confidence", "sentence", "title", "document", "date", "page", "url", "passage"];
const COLUMNS = ["group", "question", "label", "text", "value", ...FINDING, "score", "method"];

/** Format the results of a survey as CSV. */
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

/** Escape text that a spreadsheet would run as a formula with an apostrophe. */
function field(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
