// Filters as a person writes them, in the grammar of the command line (cli/where.py): `country=Norway, Sweden; year>=1990`.
// Here one text holds all conditions, separated by semicolons; one that is part of a value is quoted, or written `\;`.

const BOUNDS = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };
const CONDITION = /\s*([^<>=;]+?)\s*(>=|<=|==|=|>|<)/sy;
const VALUE = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!")((?:[^,;\\]|\\.|\\$)+?))\s*(,|;|$)/sy;
const NUMBER = /^-?[0-9]{1,18}(\.[0-9]{1,17})?$/;

/** Read conditions into the filter that the server takes; throws an Error that says what is wrong. */
export function filterOf(text) {
  // Without a prototype, so that a field may have any name.
  const values = Object.create(null);
  const bounds = Object.create(null);
  let at = 0;
  while (/[^\s;]/.test(text.slice(at))) {
    at += /^[\s;]*/.exec(text.slice(at))[0].length;
    const [condition, field, written] = matched(CONDITION, text, at) ?? wrong(text.slice(at));
    const operator = written === "==" ? "=" : written;
    if (field.endsWith("!")) throw refusal(`A condition cannot exclude a value (“${field}=”). Name those wanted.`);
    const found = [];
    let more = ",";
    for (at += condition.length; more === ","; ) {
      const part = matched(VALUE, text, at) ?? wrong(`${field}${operator}${text.slice(at)}`);
      found.push(part[1] === undefined ? scalar(part[2]) : plain(part[1]));
      more = part[3];
      at += part[0].length;
    }
    if (operator === "=") values[field] = [...new Set([...(values[field] ?? []), ...found])];
    else addBound((bounds[field] ??= {}), operator, found, field);
    if (values[field] && bounds[field])
      throw refusal(`The field “${field}” has both a value and bounds. Give one or the other.`);
  }
  const single = Object.entries(values).map(([field, all]) => [field, all.length === 1 ? all[0] : all]);
  return { ...Object.fromEntries(single), ...bounds };
}

/** JSON of a value that may hold BigInt, which JSON.stringify refuses; they are written as numbers. */
export function jsonOf(value) {
  const marked = JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `\u0000${v}` : v));
  return marked.replace(/"\\u0000(-?\d+)"/g, "$1");
}

function matched(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function scalar(word) {
  if (word === "true" || word === "false") return word === "true";
  const number = NUMBER.exec(word);
  if (!number) return plain(word);
  // A whole number of more than 15 digits may not be exact as a Number.
  return number[1] || Number.isSafeInteger(Number(word)) ? Number(word) : BigInt(word);
}

function plain(text) {
  return text.replace(/\\([\\,;"])/g, "$1");
}

function addBound(known, operator, found, field) {
  const name = BOUNDS[operator];
  if (found.length > 1 || name in known)
    throw refusal(`“${field}${operator}” is given more than one value; a bound has one.`);
  [known[name]] = found;
}

function wrong(condition) {
  throw refusal(
    `“${condition.trim()}” is not a condition. Write field=value, field=one, other, field>=number or field="text".`,
  );
}

/** An error like those of the server, so that it is shown like them. */
function refusal(message) {
  return Object.assign(new Error(message), { status: 422 });
}
