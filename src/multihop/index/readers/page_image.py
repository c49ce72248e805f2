"""A page of a PDF file as an image, with a quote marked: rendered by pdfium, in a process of its own.

What a crafted file can make a renderer do, it does to a process that is bounded in time and memory and ends with the
image.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from multihop.errors import InvalidRecord, MissingExtra
from multihop.index.readers import ocr
from multihop.index.readers.decoding import source_of
from multihop.index.readers.limits import MIB, ReadLimits, limit_process
from multihop.text.units import SEPARATOR

WIDTH = 900
_TALLEST = 2000
"""Pixels; a page of any shape is rendered within these bounds."""
_SECONDS = 20.0
_MEMORY = 1024 * MIB
_TRIED = 4
"""Pages on which a quote is looked for, from the one given on: a passage knows only its first page."""
_RECOGNIZED = 2
"""How many of them may be scanned ones."""
_OCR_SECONDS = 20.0
"""Additional time for each of those."""
_SHORTEST = 4
"""Letters and digits of the shortest part of a quote that is marked by itself."""
_YELLOW = (1.0, 0.92, 0.55)


_Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in the units of the page."""


class PageImage(NamedTuple):
    """A page as a PNG image, its number, and whether the quote is on it."""

    png: bytes
    page: int
    marked: bool


def can_render() -> bool:
    """Return whether the renderer is installed."""
    return find_spec("pypdfium2") is not None


def render_page(file: Path, page: int, quote: str = "") -> PageImage:
    """Render a page of a PDF file with a quote marked, or one of the next pages if the quote is there."""
    if not can_render():
        raise MissingExtra("Showing pages of PDF files", "files")
    seconds = _SECONDS + (_RECOGNIZED * _OCR_SECONDS if quote and ocr.available() else 0.0)
    request = json.dumps({"path": str(file.absolute()), "page": page, "quote": quote, "seconds": seconds})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603  # our own module, run by our own interpreter
            [sys.executable, "-P", "-m", __name__], input=request.encode(), env=environment, timeout=seconds,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise InvalidRecord(f"took more than {seconds:g} s to render", source=source_of(file)) from error
    head, _, png = done.stdout.partition(b"\n")
    if done.returncode or not head:
        raise InvalidRecord("cannot be rendered; the file may be damaged", source=source_of(file))
    about = json.loads(head)
    if "problem" in about:
        raise InvalidRecord(about["problem"], source=source_of(file))
    return PageImage(png, about["page"], about["marked"])


def main() -> None:
    """Render the page that standard input asks for; a line of JSON and the image go to standard output."""
    import numpy as np
    import pypdfium2

    request = json.loads(sys.stdin.buffer.read())
    recognizes = request["seconds"] > _SECONDS
    limit_process(_MEMORY + recognizes * ReadLimits().ocr_memory, request["seconds"])
    try:
        pdf = pypdfium2.PdfDocument(request["path"])
    except pypdfium2.PdfiumError as error:
        _write({"problem": f"is not a readable PDF file: {error}"})
        return
    if not 1 <= request["page"] <= len(pdf):
        _write({"problem": f"has no page {request['page']}; its pages are 1 to {len(pdf)}"})
        return
    number, page, boxes = _find_quote(pdf, request["page"], request["quote"], _RECOGNIZED * recognizes)
    width, height = page.get_size()
    bitmap = page.render(scale=min(WIDTH / width, _TALLEST / height), rev_byteorder=True)
    pixels = np.array(bitmap.to_numpy()[:, :, :3])
    place = bitmap.get_posconv(page)
    for left, bottom, right, top in dict.fromkeys(boxes):
        (x0, y0), (x1, y1) = place.to_bitmap(left, top), place.to_bitmap(right, bottom)
        part = np.s_[max(0, min(y0, y1) - 2) : max(y0, y1) + 3, max(0, min(x0, x1) - 2) : max(x0, x1) + 3]
        pixels[part] = (pixels[part] * np.array(_YELLOW)).astype(np.uint8)
    _write({"page": number, "marked": bool(boxes)}, _png(pixels))


def _write(about: dict[str, Any], png: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(about).encode() + b"\n" + png)


def _find_quote(pdf: Any, first: int, quote: str, scans: int) -> tuple[int, Any, list[_Box]]:
    """Return the page on which the quote stands, and the boxes of its lines; the first page where it is on none.

    A few scanned pages are recognized to find it.
    """
    for number in range(first, min(len(pdf), first + _TRIED - 1) + 1) if quote else ():
        page = pdf[number - 1]
        text = page.get_textpage()
        scanned = scans > 0 and not text.count_chars()
        scans -= scanned
        if boxes := _scanned_boxes(page, quote) if scanned else _boxes(text, quote):
            return number, page, boxes
    return first, pdf[first - 1], []


def _scanned_boxes(page: Any, quote: str) -> list[_Box]:
    """Return the boxes of a quote on a scanned page: in each line, the share of its width that its letters take."""
    lines, place = ocr.lines_of(page)
    folded = [_fold(line.text) for line in lines]
    said, boxes = "".join(folded), list[_Box]()
    for part in _parts(quote, said):
        begin = said.find(part)
        end, at = begin + len(part), 0
        for line, letters in zip(lines, folded, strict=True):
            first, last = max(begin - at, 0), min(end - at, len(letters))
            at += len(letters)
            if first < last:
                width = (line.right - line.left) / len(letters)
                left, top = place.to_page(round(line.left + first * width), round(line.top))
                right, bottom = place.to_page(round(line.left + last * width), round(line.bottom))
                boxes.append((left, bottom, right, top))
    return boxes


def _boxes(text: Any, quote: str) -> list[_Box]:
    """Return the boxes of a quote on a page, by its letters and digits alone: blanks and hyphens differ."""
    from pypdfium2 import raw

    letters: list[str] = []
    places: list[int] = []
    for place in range(text.count_chars()):
        for letter in _fold(chr(raw.FPDFText_GetUnicode(text, place))):
            letters.append(letter)
            places.append(place)
    said = "".join(letters)
    boxes = []
    for part in _parts(quote, said):
        at = said.find(part)
        first, last = places[at], places[at + len(part) - 1]
        boxes += [text.get_rect(i) for i in range(text.count_rects(first, last - first + 1))]
    return boxes


def _parts(quote: str, said: str) -> Iterator[str]:
    """Yield the parts of a quote that stand on a page: the whole, or the cells of a row and the lines of a passage."""
    whole = _fold(quote)
    if whole and whole in said:
        yield whole
        return
    for cell in quote.replace(SEPARATOR, "\n").replace("\f", "\n").split("\n"):
        # Of "Name: Pia Holm" the name of the column stands elsewhere.
        for part in (_fold(cell), _fold(cell.partition(": ")[2])):
            if len(part) >= _SHORTEST and part in said:
                yield part
                break


def _fold(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _png(pixels: Any) -> bytes:
    """Write pixels as a PNG file: every row is the difference to the one above it, which text and tables pack well."""
    import numpy as np

    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[1:, 0] = 2
    flat = pixels.reshape(height, -1)
    rows[:, 1:] = flat
    rows[1:, 1:] -= flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


if __name__ == "__main__":
    main()
