// The documents of the evidence as references: BibTeX for LaTeX, CSL-JSON for reference managers.

// Metadata field names for each field of a reference.
const NAMED = {
  author: ["author", "authors", "creator"],
  issued: ["date", "published", "issued", "year"],
  URL: ["url", "source_url", "link", "source"],
  publisher: ["publisher", "organization", "institution"],
  "container-title": ["journal", "booktitle", "container", "site"],
  DOI: ["doi"],
  language: ["language", "lang"],
};

/** The documents of a result as CSL-JSON items, each once, with the access date. */
export function references(result, today = new Date().toISOString().slice(0, 10)) {
  const firsts = new Map();
  for (const { passage } of result.evidence) if (!firsts.has(passage.document_id)) firsts.set(passage.document_id, passage);
  const keys = new Set();
  return [...firsts.values()].map((passage) => item(passage, today, keys));
}

function item(passage, today, keys) {
  const values = Object.fromEntries(Object.entries(passage.metadata ?? {}).map(([field, value]) => [field.toLowerCase(), value]));
  const found = Object.fromEntries(
    Object.entries(NAMED).map(([name, fields]) => [name, fields.map((f) => values[f]).find((v) => String(v ?? "").trim() !== "")]),
  );
  const url = /^https?:\/\//.test(found.URL ?? "") ? found.URL : undefined;
  const authors = [found.author ?? []].flat().map((name) => ({ literal: String(name) }));
  const issued = dateOf(String(found.issued ?? ""));
  const title = passage.title || passage.document_id;
  const filled = {
    id: keyOf(title, issued, keys),
    type: found["container-title"] ? "article" : url ? "webpage" : "document",
    title,
    author: authors.length ? authors : undefined,
    issued: issued && { "date-parts": [issued] },
    publisher: found.publisher && String(found.publisher),
    "container-title": found["container-title"] && String(found["container-title"]),
    DOI: found.DOI && String(found.DOI),
    URL: url,
    language: found.language && String(found.language),
    accessed: { "date-parts": [dateOf(today)] },
    note: `document ${passage.document_id}`,
  };
  // Drops undefined values.
  return JSON.parse(JSON.stringify(filled));
}

/** Format CSL-JSON items as BibTeX. */
export function bibtex(items) {
  return items.map((each) => `@misc{${each.id},\n${fieldsOf(each).join(",\n")}\n}\n`).join("\n");
}

function fieldsOf(each) {
  const [year, month, day] = each.issued?.["date-parts"][0] ?? [];
  const fields = {
    // Inner braces preserve capital letters in titles and keep names whole.
    title: `{${escaped(each.title)}}`,
    author: each.author?.map(({ literal }) => `{${escaped(literal)}}`).join(" and "),
    year,
    month,
    day,
    publisher: each.publisher && escaped(each.publisher),
    howpublished: each["container-title"] && escaped(each["container-title"]),
    doi: each.DOI,
    // A URL is not escaped, except for characters that would end the field.
    url: each.URL?.replace(/[{}\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    language: each.language && escaped(each.language),
    urldate: each.accessed["date-parts"][0].map((part) => String(part).padStart(2, "0")).join("-"),
    note: escaped(each.note),
  };
  return Object.entries(fields).filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => `  ${name} = {${value}}`);
}

/** A citation key from the first word of the title and the year, numbered if taken. */
function keyOf(title, issued, keys) {
  const [word = "document"] = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z]{3,}/g) ?? [];
  const plain = `${word}${issued?.[0] ?? ""}`;
  let key = plain;
  for (let number = 2; keys.has(key); number++) key = `${plain}-${number}`;
  keys.add(key);
  return key;
}

/** Year, month and day at the start of a date, as numbers. */
function dateOf(text) {
  const [, ...parts] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(text) ?? [];
  return parts[0] && parts.filter(Boolean).map(Number);
}

function escaped(text) {
  const signs = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  return text.replace(/\s+/g, " ").replace(/[\\~^{}%#&$_]/g, (sign) => signs[sign] ?? `\\${sign}`);
}
