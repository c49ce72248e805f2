"""Charts of the report for print: SVG that needs no style sheet, and the same drawing as a page of PDF."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from xml.etree import ElementTree

from multihop.errors import needs_extra
from multihop.evaluation.page.axes import LETTER
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
    svg = ElementTree.tostring(root, encoding="unicode") + "\n"
    return Printed(svg, _pdf(svg))


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
        wide = 30 + LETTER * len(name)
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


def _pdf(svg: str) -> bytes:
    with needs_extra("Figures as PDF", "eval"):
        from reportlab.graphics.renderPDF import drawToString
        from svglib.svglib import svg2rlg
    # Invariant: without the time of writing, which would make every file another one.
    return bytes(drawToString(svg2rlg(io.BytesIO(svg.encode())), invariant=True))
