// Export of the evidence as CSV: one row per passage.

import { csvLine } from "./survey-csv.js";

const COLUMNS = ["rank", "part", "hop", "score", "passage", "document", "title", "heading", "page", "reason", "text"];

/** Format the evidence of a result as CSV; metadata fields follow the common columns. */
export function evidenceCsv(result) {
  const fields = [...new Set(result.evidence.flatMap((e) => Object.keys(e.passage.metadata ?? {})))].sort();
  const chain = new Set(result.chain.links.map((l) => l.target));
  const part = (id) => (chain.has(id) ? "chain" : result.chain.supporting.includes(id) ? "supporting" : "filling");
  const row = ({ rank, hop, score, reason, passage: p }) => [
    ...[rank, part(p.id), hop, score, p.id, p.document_id, p.title, p.heading, p.page ?? "", reason, p.text],
    ...fields.map((f) => [p.metadata?.[f] ?? ""].flat().join("; ")),
  ];
  return [[...COLUMNS, ...fields], ...result.evidence.map(row)].map(csvLine).join("");
}
