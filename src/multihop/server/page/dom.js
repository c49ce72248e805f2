// Builds elements. Whatever is a text becomes a text node, so nothing that a document says can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an HTML element: attributes by name, `on` for listeners, `vars` for custom properties, then children. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an SVG element in the same way. */
export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Put children into an element in place of those it has. */
export function fill(parent, ...children) {
  parent.replaceChildren(...flat(children));
  return parent;
}

/** A number and its noun: "1 passage", "2 passages". */
export function counted(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Shorten a text to so many characters, at a word where there is one. */
export function cut(text, length) {
  const letters = [...text];
  if (letters.length <= length) return text;
  const head = letters.slice(0, Math.max(1, length - 1)).join("");
  const space = head.lastIndexOf(" ");
  return `${(space > length * 0.6 ? head.slice(0, space) : head).trimEnd()}…`;
}

let ruler;

/** Shorten a text until it fits a width in pixels, in the font of the page. */
export function fitting(text, width, size) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${size} ${getComputedStyle(document.body).fontFamily}`;
  let letters = [...text];
  if (ruler.measureText(text).width <= width) return text;
  while (letters.length > 1 && ruler.measureText(`${letters.join("")}…`).width > width) letters = letters.slice(0, -1);
  return `${letters.join("").trimEnd()}…`;
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) set(made, key, value);
  made.append(...flat(children));
  return made;
}

function set(made, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key === "on") {
    for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
  } else if (key === "vars") {
    for (const [property, v] of Object.entries(value)) made.style.setProperty(`--${property}`, String(v));
  } else if (key === "value" && "value" in made) {
    made.value = value;
  } else {
    made.setAttribute(key, value === true ? "" : String(value));
  }
}

function flat(children) {
  return children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false && c !== "");
}
