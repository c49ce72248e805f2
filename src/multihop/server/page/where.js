// Filters as a person writes them, in the language of the command line: `country=Norway, Sweden; year>=1990`.

const BOUNDS = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };
const CONDITION = /^\s*([^<>=]+?)\s*(>=|<=|=|>|<)\s*(.*?)\s*$/s;
const PARTS = /\s*(?:"((?:[^"\\]|\\.)*)"|([^,"][^,]*))\s*(?:,|$)/gsy;

/** Read conditions into the filter that the server takes; throws an Error that says what is wrong. */
export function filterOf(text) {
  const where = {};
  for (const condition of pieces(text)) {
    const [, field, operator, rest] = CONDITION.exec(condition) ?? wrong(condition);
    if (operator === "=") addValues(where, field, valuesOf(rest, condition));
    else addBound(where, field, BOUNDS[operator], valuesOf(rest, condition), condition);
  }
  return where;
}

function pieces(text) {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+|"/gs) ?? []).filter((p) => p.trim() !== "");
}

function wrong(condition) {
  throw refusal(
    `“${condition.trim()}” is not a condition. Write field=value, field=one, other, field>=number or field="text".`,
  );
}

function valuesOf(text, condition) {
  PARTS.lastIndex = 0;
  const found = [];
  for (let at = 0; at < text.length; at = PARTS.lastIndex) {
    const part = PARTS.exec(text) ?? wrong(condition);
    found.push(part[1] === undefined ? scalar(part[2].trim()) : part[1].replace(/\\(.)/gs, "$1"));
  }
  return found.length ? found : wrong(condition);
}

function scalar(word) {
  if (word === "true" || word === "false") return word === "true";
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(word) ? Number(word) : word;
}

function addValues(where, field, values) {
  const all = [...[where[field] ?? []].flat(), ...values];
  if (typeof all[0] === "object") both(field);
  where[field] = all.length === 1 ? all[0] : all;
}

function addBound(where, field, name, values, condition) {
  if (values.length !== 1) wrong(condition);
  if (field in where && (typeof where[field] !== "object" || Array.isArray(where[field]))) both(field);
  where[field] = { ...where[field], [name]: values[0] };
}

function both(field) {
  throw refusal(`The field “${field}” has both a value and bounds. Give one or the other.`);
}

/** An error like those of the server, so that it is shown like them. */
function refusal(message) {
  return Object.assign(new Error(message), { status: 422 });
}
