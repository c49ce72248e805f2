"""Charts of the report for print: SVG that needs no style sheet, and the same drawing as a page of PDF.

The charts are made of lines, rectangles, circles, polygons, paths of straight strokes and labels, and only these are
drawn. The PDF uses Helvetica, which every reader has, so nothing is embedded. A drawing
library would be a dependency for a few operators.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from multihop.rendering.html import Markup

INK, SOFT, RULE, PAPER = "#1b1e23", "#59616d", "#d9dde3", "#ffffff"
_SYSTEMS = ("#0072b2", "#d55e00", "#009e73", "#b8578f", "#c98a00", "#2f9bd8", "#7a4fb5", "#6b6b6b")
_PARTS = ("#882255", "#ddcc77", "#44aa99", "#332288", "#88ccee", "#cc6677", "#117733", "#999999")
_STYLE: dict[str, dict[str, str]] = {
    "grid": {"stroke": RULE, "stroke-width": "1"},
    "base": {"stroke": SOFT, "stroke-width": "1"},
    "line": {"fill": "none", "stroke": "color", "stroke-width": "2.4", "stroke-linejoin": "round"},
    "thin": {"stroke-width": "1.5"},
    "dashed": {"stroke-dasharray": "7 4"},
    "kept": {"stroke-dasharray": "2 4"},
    "mark": {"fill": "color", "stroke": PAPER, "stroke-width": "1.2"},
    "bar": {"fill": "color"},
    "part": {"fill": "color", "stroke": PAPER, "stroke-width": "1"},
    "whisker": {"fill": "none", "stroke": INK, "stroke-width": "1.4"},
    "halo": {"fill": "none", "stroke": PAPER, "stroke-width": "4"},
    "name": {"fill": INK, "font-weight": "bold"},
    "value": {"fill": INK, "font-weight": "bold"},
    "group": {"fill": INK, "font-weight": "bold"},
    "inside": {"fill": INK},
}
_TEXT = {"fill": SOFT, "font-size": "12", "font-family": "Helvetica, Arial, sans-serif"}
_WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
"""Of the characters of ASCII from the blank on, in thousandths of the size, as Adobe publishes them for Helvetica."""
_LETTERS = dict(zip(range(32, 127), map(int, _WIDTHS.split()), strict=True))
_ROUND = 0.5523
"""How far the handles of a Bézier curve reach when four of them make a circle."""


@dataclass(frozen=True, slots=True)
class Printed:
    """One chart for print."""

    svg: str
    pdf: bytes


def printable(drawing: Markup) -> Printed:
    """Take the chart out of a piece of the page and make it stand alone; a list of names above it comes along."""
    # The last one: the marks of the names above a chart are drawings as well.
    start, end = drawing.rindex('<svg viewBox="0 0 '), drawing.rindex("</svg>") + len("</svg>")
    root = ElementTree.fromstring(drawing[start:end])  # noqa: S314  # our own markup
    names = _names_above(drawing[:start])
    _name_at_top(root, names)
    for element in root.iter():
        _style(element)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    # Inside a page an SVG inherits these; alone it is not drawn without them.
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "width": f"{width:g}", "height": f"{height:g}"}
    return Printed(ElementTree.tostring(root, encoding="unicode") + "\n", _pdf(root, width, height))


def _names_above(before: str) -> list[tuple[str, ElementTree.Element]]:
    # A chart without room for names is preceded by a list of them, each with its mark.
    items = re.findall(r"<li>(<svg.*?</svg>)(.*?)</li>", before)
    return [("".join(ElementTree.fromstring(f"<x>{name}</x>").itertext()).strip(),  # noqa: S314  # our own markup
             ElementTree.fromstring(mark)) for mark, name in items]  # noqa: S314  # our own markup  # fmt: skip


def _name_at_top(root: ElementTree.Element, names: list[tuple[str, ElementTree.Element]]) -> None:
    if not names:
        return
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    x, row = 4.0, 0
    placed: list[tuple[float, float, str, ElementTree.Element]] = []
    for name, mark in names:
        wide = 30 + text_width(name, 12, bold=True)
        if placed and x + wide > width:
            x, row = 4.0, row + 1
        placed.append((x, 18.0 * row, name, mark))
        x += wide
    top = 18.0 * (row + 1) + 6
    root.attrib["viewBox"] = f"0 0 {width:g} {height + top:g}"
    inside = ElementTree.Element("g", {"transform": f"translate(0 {top:g})"})
    inside.extend(root)
    del root[:]
    for x, y, name, mark in placed:
        key = ElementTree.SubElement(root, "g", {"transform": f"translate({x:g} {y:g})"})
        key.extend(list(mark))
        ElementTree.SubElement(key, "text", {"x": "18", "y": "11", "class": "name"}).text = name
    root.append(inside)


def _style(element: ElementTree.Element) -> None:
    classes = element.attrib.pop("class", "").split()
    for name in [n for n in element.attrib if n.startswith("aria-") or n == "id"]:
        del element.attrib[name]
    number = next((c for c in classes if re.fullmatch(r"[cp]\d", c)), "")
    color = (_SYSTEMS if number.startswith("c") else _PARTS)[int(number[1])] if number else INK
    if element.tag == "text":
        element.attrib |= _TEXT
    for name in classes:
        element.attrib |= {k: color if v == "color" else v for k, v in _STYLE.get(name, {}).items()}


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is in Helvetica; what is not ASCII counts as a wide letter."""
    return sum(_LETTERS.get(ord(c), 600) for c in text) / 1000 * size * (1.06 if bold else 1.0)


def _pdf(root: ElementTree.Element, width: float, height: float) -> bytes:
    # PDF counts upwards from the bottom, SVG downwards from the top.
    drawn = "\n".join([f"1 0 0 -1 0 {height:g} cm", "1 j", *_operators(root)])
    # The encoding of the two fonts; what it lacks is printed as a question mark.
    stream = zlib.compress(drawn.encode("cp1252", "replace"))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:g} {height:g}] /Contents 6 0 R "
        "/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>"
    )
    texts = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page]
    bodies = [t.encode() for t in (*texts, font.format("Helvetica"), font.format("Helvetica-Bold"))]
    head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
    bodies.append(head + stream + b"\nendstream")
    return _file(bodies)


def _file(bodies: list[bytes]) -> bytes:
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        # A reader finds every object by its offset in bytes, so all is written as bytes.
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(bodies) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n"
    return written + f"{end}{len(written)}\n%%EOF\n".encode()


def _operators(element: ElementTree.Element) -> Iterator[str]:
    for child in element:
        if child.tag == "g":
            x, y = (float(n) for n in re.findall(r"[-\d.]+", child.attrib["transform"]))
            yield f"q 1 0 0 1 {x:g} {y:g} cm"
            yield from _operators(child)
            yield "Q"
        elif child.tag == "text":
            yield _label(child)
        elif shape := _shape(child):
            yield from _paint(child, shape)


def _paint(element: ElementTree.Element, shape: str) -> Iterator[str]:
    fill, stroke = element.get("fill", "none"), element.get("stroke", "none")
    yield f"q [{element.get('stroke-dasharray', '')}] 0 d {element.get('stroke-width', '1')} w"
    if fill != "none":
        yield f"{_color(fill)} rg"
    if stroke != "none":
        yield f"{_color(stroke)} RG"
    paint = {(True, True): "B", (True, False): "f", (False, True): "S"}
    yield f"{shape} {paint.get((fill != 'none', stroke != 'none'), 'n')} Q"


def _shape(element: ElementTree.Element) -> str:
    at = {name: float(value) for name, value in element.attrib.items() if re.fullmatch(r"[-\d.]+", value)}
    match element.tag:
        case "line":
            return f"{at['x1']:g} {at['y1']:g} m {at['x2']:g} {at['y2']:g} l"
        case "rect":
            return f"{at.get('x', 0):g} {at.get('y', 0):g} {at['width']:g} {at['height']:g} re"
        case "circle":
            return _circle(at["cx"], at["cy"], at["r"])
        case "polygon":
            corners = [pair.replace(",", " ") for pair in element.attrib["points"].split()]
            return f"{corners[0]} m " + " ".join(f"{corner} l" for corner in corners[1:]) + " h"
        case "path":
            return _path(element.attrib["d"])
    return ""


def _circle(x: float, y: float, r: float) -> str:
    h = r * _ROUND
    quarters = [
        (x + r, y + h, x + h, y + r, x, y + r), (x - h, y + r, x - r, y + h, x - r, y),
        (x - r, y - h, x - h, y - r, x, y - r), (x + h, y - r, x + r, y - h, x + r, y),
    ]  # fmt: skip
    return f"{x + r:g} {y:g} m " + " ".join(" ".join(f"{n:.3f}" for n in q) + " c" for q in quarters)


def _path(d: str) -> str:
    x = y = 0.0
    drawn = []
    for command, rest in re.findall(r"([MLHVv])([^MLHVv]*)", d):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", rest)]
        match command:
            case "M" | "L":
                x, y = numbers
            case "H":
                x = numbers[0]
            case "V":
                y = numbers[0]
            case "v":
                y += numbers[0]
        drawn.append(f"{x:g} {y:g} {'m' if command == 'M' else 'l'}")
    return " ".join(drawn)


def _label(element: ElementTree.Element) -> str:
    text, size = element.text or "", float(element.get("font-size", "12"))
    bold = element.get("font-weight") == "bold"
    before = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor", ""), 0.0) * text_width(text, size, bold)
    x, y = float(element.attrib["x"]) - before, float(element.attrib["y"])
    # Parentheses and backslashes end or escape a string in PDF.
    shown = re.sub(r"([\\()])", r"\\\1", text)
    font = "F2" if bold else "F1"
    return f"BT {_color(element.get('fill', INK))} rg /{font} {size:g} Tf 1 0 0 -1 {x:.2f} {y:.2f} Tm ({shown}) Tj ET"


def _color(value: str) -> str:
    return " ".join(f"{int(value[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))
