// Builds elements. Strings become text nodes, so nothing in a document can become markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element: its name and classes as in "p.soft", optional attributes (`on` for listeners, `vars` for
 * custom properties), then children.
 */
export const element = (name, ...parts) => build((tag) => document.createElement(tag), name, parts);

/** Make an SVG element in the same way. */
export const shape = (name, ...parts) => build((tag) => document.createElementNS(SVG, tag), name, parts);

/** Make a list, such as "ul.plain" or "ol", with one item each. */
export function list(name, things) {
  return element(name, things.map((each) => element("li", each)));
}

/** Make a definition list from [name, value] pairs. */
export function facts(rows) {
  return element("dl.facts", rows.map(([name, value]) => [element("dt", name), element("dd", value)]));
}

/** Make a table, such as "table.survey", from column headers and rows of cells; a cell may be a string. */
export function table(name, heads, rows) {
  const cell = (tag, attributes) => (each) => (each instanceof Node ? each : element(tag, attributes, each));
  return element(
    name,
    element("thead", element("tr", heads.map(cell("th", { scope: "col" })))),
    element("tbody", rows.map(([head, ...cells]) => element("tr", cell("th", { scope: "row" })(head), cells.map(cell("td", {}))))),
  );
}

/** Replace the children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...flat(children));
  return parent;
}

/** Format a count with its noun: "1 passage", "2 passages". */
export function pluralize(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Shorten text to `length` characters, at a word boundary if possible. */
export function cut(text, length) {
  // By characters: half of a surrogate pair would be shown as a box.
  const letters = [...text];
  if (letters.length <= length) return text;
  const head = letters.slice(0, Math.max(1, length - 1)).join("");
  const space = head.lastIndexOf(" ");
  return `${(space > length * 0.6 ? head.slice(0, space) : head).trimEnd()}…`;
}

let ruler;

/** Shorten text to fit a width in pixels in the font of the page. */
export function fitting(text, width, size) {
  // A canvas can measure text that is not in the page yet.
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${size} ${getComputedStyle(document.body).fontFamily}`;
  let letters = [...text];
  if (ruler.measureText(text).width <= width) return text;
  while (letters.length > 1 && ruler.measureText(`${letters.join("")}…`).width > width) letters = letters.slice(0, -1);
  return `${letters.join("").trimEnd()}…`;
}

function build(create, name, parts) {
  const [tag, ...classes] = name.split(".");
  const node = create(tag);
  // Arrays and nodes are not plain objects, so a child is never mistaken for attributes.
  const [attributes, ...children] = parts[0]?.constructor === Object ? parts : [{}, ...parts];
  if (classes.length) set(node, "class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) set(node, key, value);
  node.append(...flat(children));
  return node;
}

function set(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key === "on") {
    for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  } else if (key === "vars") {
    // By script: the page's content security policy forbids style attributes.
    for (const [property, v] of Object.entries(value)) node.style.setProperty(`--${property}`, String(v));
  } else if (key === "value" && "value" in node) {
    // The attribute would only set the initial value, and a textarea has none.
    node.value = value;
  } else {
    node.setAttribute(key, value === true ? "" : String(value));
  }
}

function flat(children) {
  return children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false && c !== "");
}
