"""Text of scanned pages, by way of RapidOCR, whose models are part of its package: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from multihop.errors import needs_extra

MOST_PAGES = 300
"""Pages of one file that are recognized."""
_DPI = 200
_LARGEST = 3000
"""Pixels of the longer side of a page; more takes longer and is hardly read better."""
_PARAGRAPH = 0.9
"""A gap of so many heights of a line begins a paragraph."""
_ROW = 0.5
"""Lines that share so much of their height stand in one row."""


class Recognized(NamedTuple):
    """The text of a page, and the share of it that is likely right: the mean over its letters."""

    text: str
    confidence: float


class _Line(NamedTuple):
    top: float
    bottom: float
    left: float
    text: str
    score: float


def available() -> bool:
    """Return whether scanned pages can be read."""
    return find_spec("rapidocr") is not None and find_spec("pypdfium2") is not None


def recognize(data: bytes, places: Sequence[int]) -> dict[int, Recognized]:
    """Read pages of a PDF file, by their places from 0 on; a page on which nothing is found is left out."""
    with needs_extra("Reading scanned pages", "ocr"):
        import pypdfium2
    found: dict[int, Recognized] = {}
    pdf = pypdfium2.PdfDocument(data)
    for place in [place for place in places if place < len(pdf)][:MOST_PAGES]:
        page = pdf[place]
        # A page without any mark on it is blank.
        if next(iter(page.get_objects(max_depth=1)), None) is None:
            continue
        scale = min(_DPI / 72, _LARGEST / max(page.get_size()))
        lines = _lines(page.render(scale=scale).to_numpy()[:, :, :3])
        if lines:
            letters = sum(len(line.text) for line in lines)
            sure = sum(line.score * len(line.text) for line in lines) / letters
            found[place] = Recognized(_text(lines), round(sure, 3))
    return found


@cache
def _engine() -> Any:
    with needs_extra("Reading scanned pages", "ocr"):
        from rapidocr import RapidOCR
    return RapidOCR(params={"Global.log_level": "critical"})


def _lines(pixels: Any) -> list[_Line]:
    seen = _engine()(pixels)
    if seen.boxes is None:
        return []
    made = [
        _Line(min(y for _, y in box), max(y for _, y in box), min(x for x, _ in box), " ".join(text.split()), score)
        for box, text, score in zip(seen.boxes, seen.txts, seen.scores, strict=True)
    ]
    return [line for line in made if line.text]


def _text(lines: Sequence[_Line]) -> str:
    """Write lines from top to bottom; those side by side stand in one row, and a gap begins a paragraph."""
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        last = rows[-1][0] if rows else None
        shared = min(last.bottom, line.bottom) - max(last.top, line.top) if last else 0.0
        if last and shared >= _ROW * min(last.bottom - last.top, line.bottom - line.top):
            rows[-1].append(line)
        else:
            rows.append([line])
    written: list[str] = []
    for number, row in enumerate(rows):
        height = row[0].bottom - row[0].top
        if number and row[0].top - max(line.bottom for line in rows[number - 1]) > _PARAGRAPH * height:
            written.append("")
        written.append(" ".join(line.text for line in sorted(row, key=lambda line: line.left)))
    return "\n".join(written)
