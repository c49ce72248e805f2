// Parses filters in the grammar of the command line (cli/filters.py): `country=Norway, Sweden; year>=1990`.
// Conditions are separated by semicolons; a semicolon inside a value is quoted or escaped as `\;`.
// `!=` excludes, `~=` matches a substring, `=*` matches any value, and ` | ` separates alternatives.

const BOUNDS = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };
const LISTED = { "!=": "not", "~=": "contains" };
const CONDITION = /\s*([^<>=;]+?)\s*(>=|<=|==|!=|~=|=|>|<)/sy;
// Quoted, or up to a comma, a semicolon or ` | `; a backslash escapes the next character.
const VALUE = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!")((?:[^,;\\]|\\.|\\$)+?))(?:\s*(,|;|$)|\s(\|)\s)/sy;
const NUMBER = /^-?[0-9]{1,18}(\.[0-9]{1,17})?$/;

/** Parse conditions into a filter for the server; throws an Error with a message for the user. */
export function parseFilter(text) {
  const groups = [];
  let at = 0;
  let joined = false;
  // After ` | ` another condition must follow, even at the end of the text.
  while (joined || /[^\s;]/.test(text.slice(at))) {
    at += /^[\s;]*/.exec(text.slice(at))[0].length;
    const { test, next, end } = testAt(text, at);
    if (joined) groups.at(-1).push(test);
    else groups.push([test]);
    joined = next === "|";
    at = end;
  }
  const alternatives = groups.filter((g) => g.length > 1).map((g) => ({ $or: g.map((test) => combined([test])) }));
  const found = combined(groups.filter((g) => g.length === 1).flat());
  if (alternatives.length === 1) return { ...found, ...alternatives[0] };
  return alternatives.length ? { ...found, $and: alternatives } : found;
}

/** Parse limits per field value, `source=2; author=1`; throws as `parseFilter` does. */
export function parseLimits(text) {
  const bounds = text.split(";").filter((part) => part.trim()).map((part) => {
    const [, field, most] = /^\s*(.+?)\s*=\s*(\d{1,4})\s*$/s.exec(part) ?? [];
    if (!Number(most)) throw refusal(`“${part.trim()}” is not a limit. Write a field and a positive number, such as source=2.`);
    return [field, Number(most)];
  });
  return Object.fromEntries(bounds);
}

function testAt(text, start) {
  const [condition, field, written] = matched(CONDITION, text, start) ?? wrong(text.slice(start));
  const operator = written === "==" ? "=" : written;
  const values = [];
  let end = start + condition.length;
  let next = ",";
  let star = false;
  while (next === ",") {
    const part = matched(VALUE, text, end) ?? wrong(`${field}${operator}${text.slice(end)}`);
    star = part[2] === "*" && !values.length;
    values.push(part[1] === undefined ? scalar(part[2]) : plain(part[1]));
    next = part[3] ?? part[4];
    end += part[0].length;
  }
  star &&= values.length === 1;
  if (star && operator !== "=" && operator !== "!=")
    throw refusal(`“${field}${operator}*”: a star is allowed after = and != only.`);
  return { test: { field, operator, values, star }, next, end };
}

function combined(tests) {
  // No prototype, so that a field may have any name.
  const values = Object.create(null);
  const others = Object.create(null);
  for (const { field, operator, values: found, star } of tests) {
    if (star) (others[field] ??= {}).exists = operator === "=";
    else if (operator === "=") values[field] = [...new Set([...(values[field] ?? []), ...found])];
    else if (operator in LISTED) addListed((others[field] ??= {}), operator, found);
    else addBound((others[field] ??= {}), operator, found, field);
    if (values[field] && others[field])
      throw refusal(`The field “${field}” has both a value and bounds. Give one or the other.`);
  }
  const single = Object.entries(values).map(([field, all]) => [field, one(all)]);
  const rest = Object.entries(others).map(([field, named]) => [
    field,
    Object.fromEntries(Object.entries(named).map(([name, value]) => [name, one(value)])),
  ]);
  return Object.fromEntries([...single, ...rest]);
}

function addListed(known, operator, found) {
  const name = LISTED[operator];
  const added = operator === "~=" ? found.map(String) : found;
  known[name] = [...new Set([...(known[name] ?? []), ...added])];
}

function one(value) {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** JSON of a value that may contain BigInt, which JSON.stringify rejects; written as numbers. */
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
  return text.replace(/\\([\\,;"|*])/g, "$1");
}

function addBound(known, operator, found, field) {
  const name = BOUNDS[operator];
  if (found.length > 1 || name in known)
    throw refusal(`“${field}${operator}” is given more than one value; a bound has one.`);
  [known[name]] = found;
}

function wrong(condition) {
  throw refusal(
    `“${condition.trim()}” is not a condition. Write field=value, field=one, other, field>=number, field="text", field!=value, field~=part or field=*.`,
  );
}

/** An error like those of the server, so that it is shown like them. */
function refusal(message) {
  return Object.assign(new Error(message), { status: 422 });
}
