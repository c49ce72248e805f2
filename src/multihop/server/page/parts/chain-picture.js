// The chain as a picture, SVG or PNG: the question, then every passage with the sentence that links to it.

import { element, fitting, shape } from "../dom.js";
import { answerIn, linkLabel, linksTo } from "./chain.js";
import { save } from "./download.js";
import { numbersOf } from "./order.js";

const WIDE = 760;
const EDGE = 32;
const INSET = 48;
const LINE = 20;
const FONT = "system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif";
const [INK, SOFT, BLUE, PAPER, MARK] = ["#1b1e23", "#59616d", "#0069a6", "#ffffff", "#ffe9a8"];
const SHARP = 2;

/** The chain of a result as SVG text; it needs no style sheet. */
export function chainSvg(result) {
  const links = linksTo(result, result.chain);
  const evidence = new Map(result.evidence.map((e) => [e.passage.id, e.passage]));
  const numbers = numbersOf(result, result.chain);
  const answer = answerIn(result);
  const parts = [];
  let y = EDGE;
  const put = (lines, { x = EDGE, size = 15, ...style }) => {
    for (const line of lines) parts.push(shape("text", { x, y: (y += LINE), "font-size": size, fill: INK, ...style }, line));
  };
  put(wrapped(result.question, WIDE - 2 * EDGE, "700 17px"), { size: 17, "font-weight": 700 });
  for (const link of links) {
    const passage = evidence.get(link.target);
    const from = y + 12;
    y += 10;
    const said = link.kind === "words" ? link.name.split(" ").join(", ") : link.quote.text.replace(/\s+/g, " ");
    const source = link.source ? `[${numbers.get(link.source)}] ` : "";
    put([`${source}${linkLabel(link)}`], { x: EDGE + INSET, size: 13, fill: BLUE, "font-weight": 600 });
    put(wrapped(`“${said}”`, WIDE - 2 * EDGE - INSET, "14px"), { x: EDGE + INSET, size: 14, fill: SOFT });
    parts.push(arrow(EDGE + INSET / 2, from, y + 8));
    const title = passage.title || passage.document_id;
    const shown = passage.id === answer.id ? answer.text : "";
    parts.push(...box(y + 14, `${numbers.get(passage.id)}`, title, shown));
    y += shown ? 80 : 56;
  }
  const tall = y + EDGE;
  const svg = shape(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDE} ${tall}`, width: WIDE, height: tall, "font-family": FONT },
    shape("title", result.question),
    shape("rect", { width: WIDE, height: tall, fill: PAPER }),
    parts,
  );
  return new XMLSerializer().serializeToString(svg);
}

/** Download SVG text as a PNG file. */
export async function savePng(name, svg) {
  const image = element("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` });
  await image.decode();
  const canvas = element("canvas", { width: image.width * SHARP, height: image.height * SHARP });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(name, "image/png", await new Promise((done) => canvas.toBlob(done, "image/png")));
}

function box(y, number, title, answer) {
  const text = (attributes, words) => shape("text", { fill: INK, "font-size": 16, ...attributes }, words);
  const inner = WIDE - 2 * EDGE - INSET - 16;
  return [
    shape("rect", { x: EDGE, y, width: WIDE - 2 * EDGE, height: answer ? 66 : 42, rx: 8, fill: PAPER, stroke: BLUE, "stroke-width": 2 }),
    shape("circle", { cx: EDGE + INSET / 2, cy: y + 21, r: 13, fill: BLUE }),
    text({ x: EDGE + INSET / 2, y: y + 26, "text-anchor": "middle", fill: PAPER, "font-size": 14, "font-weight": 700 }, number),
    text({ x: EDGE + INSET, y: y + 27, "font-weight": 700 }, fitting(title, inner, "700 16px")),
    answer && shape("rect", { x: EDGE + INSET - 4, y: y + 36, width: 8, height: 22, fill: MARK }),
    answer && text({ x: EDGE + INSET + 10, y: y + 53 }, fitting(answer, inner - 10, "16px")),
  ].filter(Boolean);
}

function arrow(x, from, to) {
  return shape("path", { d: `M${x} ${from}V${to}m-5 -6l5 6l5 -6`, fill: "none", stroke: BLUE, "stroke-width": 2 });
}

/** Break text into lines that fit a width in pixels. */
function wrapped(text, width, font) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && fitting(longer, width, font) !== longer) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => fitting(line, width, font));
}
