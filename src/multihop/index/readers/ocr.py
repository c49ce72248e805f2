"""Text of scanned pages, by way of RapidOCR or, where that is not installed, of Tesseract.

The models of RapidOCR are part of its package, those of Tesseract of the system: nothing is downloaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
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
"""A gap of this many line heights begins a paragraph."""
_ROW = 0.5
"""Lines that share this much of their height are in one row."""
_MOST_LANGUAGES = 8
"""Tesseract tries all installed languages, unless there are more: each takes its time."""
_LEADING = 0.15
"""What a line has above and below the boxes of Tesseract, as a share of their height."""
_WORD = "5"
"""The level of words in the output of Tesseract."""


class Recognized(NamedTuple):
    """The text of a page, and the share of it that is likely right: the mean over its letters."""

    text: str
    confidence: float


class Line(NamedTuple):
    """A line of text in the image of a page: where it stands, in pixels from the top left, and how sure it is."""

    top: float
    bottom: float
    left: float
    right: float
    text: str
    score: float


def available() -> bool:
    """Return whether scanned pages can be read."""
    return find_spec("pypdfium2") is not None and (_has_models() or shutil.which("tesseract") is not None)


def _has_models() -> bool:
    return find_spec("rapidocr") is not None


def recognize(data: bytes, places: Sequence[int]) -> dict[int, Recognized]:
    """Read pages of a PDF file, by their places from 0 on; a page on which nothing is found is left out."""
    with needs_extra("Reading scanned pages", "ocr"):
        import pypdfium2
    pages: dict[int, Recognized] = {}
    pdf = pypdfium2.PdfDocument(data)
    for place in [place for place in places if place < len(pdf)][:MOST_PAGES]:
        if lines := lines_of(pdf[place])[0]:
            letters = sum(len(line.text) for line in lines)
            sure = sum(line.score * len(line.text) for line in lines) / letters
            pages[place] = Recognized(_text(lines), round(sure, 3))
    return pages


def lines_of(page: Any) -> tuple[list[Line], Any]:
    """Return the lines of a page, from top to bottom, and what converts their places to those of the page."""
    # A page without any mark on it is blank.
    if next(iter(page.get_objects(max_depth=1)), None) is None:
        return [], None
    bitmap = page.render(scale=min(_DPI / 72, _LARGEST / max(page.get_size())))
    pixels = bitmap.to_numpy()[:, :, :3]
    lines = _lines_by_models(pixels) if _has_models() else _lines_by_tesseract(pixels)
    return [line for row in _rows([line for line in lines if line.text]) for line in row], bitmap.get_posconv(page)


@cache
def _engine() -> Any:
    with needs_extra("Reading scanned pages", "ocr"):
        from rapidocr import RapidOCR
    return RapidOCR(params={"Global.log_level": "critical"})


def _lines_by_models(pixels: Any) -> list[Line]:
    seen = _engine()(pixels)
    if seen.boxes is None:
        return []
    made = []
    for box, text, score in zip(seen.boxes, seen.txts, seen.scores, strict=True):
        across, down = [x for x, _ in box], [y for _, y in box]
        made.append(Line(min(down), max(down), min(across), max(across), " ".join(text.split()), score))
    return made


def _lines_by_tesseract(pixels: Any) -> list[Line]:
    height, width, _ = pixels.shape
    # As a portable pixmap, whose header is one line; the pixels are blue, green, red.
    image = b"P6 %d %d 255\n" % (width, height) + pixels[:, :, ::-1].tobytes()
    rows = [row.split("\t") for row in _tesseract("stdin", "stdout", "-l", _languages(), "tsv", given=image)]
    lines: dict[tuple[str, ...], list[Line]] = {}
    for level, *place, _, left, top, wide, high, sure, text in (row for row in rows if len(row) == 12):
        if level == _WORD and text.strip():
            x, y = float(left), float(top)
            word = Line(y, y + float(high), x, x + float(wide), text.strip(), max(0.0, float(sure)) / 100)
            lines.setdefault(tuple(place), []).append(word)
    return [_join_words(words) for words in lines.values()]


def _join_words(words: Sequence[Line]) -> Line:
    tops, bottoms, lefts, rights, texts, scores = zip(*words, strict=True)
    sure = sum(score * len(text) for score, text in zip(scores, texts, strict=True)) / sum(map(len, texts))
    # The boxes end with the ink of the letters, which a line without descenders has less of.
    room = _LEADING * (max(bottoms) - min(tops))
    return Line(min(tops) - room, max(bottoms) + room, min(lefts), max(rights), " ".join(texts), sure)


@cache
def _languages() -> str:
    languages = [name for name in _tesseract("--list-langs")[1:] if name not in ("osd", "equ", "")]
    return "+".join(languages) if 0 < len(languages) <= _MOST_LANGUAGES else "eng"


def _tesseract(*arguments: str, given: bytes = b"") -> list[str]:
    """Run Tesseract, on one core and within the limits of this process; on failure there is no output."""
    program = shutil.which("tesseract") or "tesseract"
    done = subprocess.run(  # noqa: S603  # found by its name; the arguments are ours
        [program, *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        env=os.environ | {"OMP_THREAD_LIMIT": "1"},
    )  # fmt: skip
    return done.stdout.decode(errors="replace").splitlines() if not done.returncode else []


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Group lines from top to bottom; those side by side stand in one row, from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        last = rows[-1][0] if rows else None
        shared = min(last.bottom, line.bottom) - max(last.top, line.top) if last else 0.0
        if last and shared >= _ROW * min(last.bottom - last.top, line.bottom - line.top):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _text(lines: Sequence[Line]) -> str:
    """Write lines row by row; a gap begins a paragraph."""
    rows, written = _rows(lines), list[str]()
    for number, row in enumerate(rows):
        height = row[0].bottom - row[0].top
        if number and row[0].top - max(line.bottom for line in rows[number - 1]) > _PARAGRAPH * height:
            written.append("")
        written.append(" ".join(line.text for line in row))
    return "\n".join(written)
