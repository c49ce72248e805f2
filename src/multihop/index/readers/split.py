"""Documents become passages: cut at headings, then at paragraphs, then between units. Linear in the length.

A unit (a sentence, a row, a list item) is cut only where it is longer than a passage may be. A form feed in a text ends
a page, as in what pdftotext writes; a passage knows the page that it begins on, and the form feeds in it say where the
next ones begin.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from multihop.errors import InvalidInput
from multihop.index.readers.validity import normalize_dates
from multihop.text.units import cut
from multihop.types import Document, Piece

Span = tuple[int, int]

_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S[^\n]{0,199})$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_SPACE = re.compile(r"\s*")


def split(document: Document, *, target: int = 900, limit: int = 1600) -> list[Piece]:
    """Cut a document into pieces of about `target` and at most `limit` characters, without losing a word.

    A text that fits the limit and has no headings is one piece. The heading of a piece is the path of those it stands
    under, outermost first: "History > Early years". A heading that repeats the document's title is not
    repeated in the pieces, since every passage carries the title. In a text with form feeds a piece has its page.
    """
    if not 0 < target <= limit:
        raise InvalidInput(f"target {target} and limit {limit} must be positive, and target at most limit")
    pages = _Pages(document.text)
    text = pages.text
    # Most records are short and have no headings; nothing else needs to be looked at for them.
    if len(text) <= limit and "\n#" not in text and not text.startswith("#"):
        return [Piece("", pages.original_text(text, 0), pages.at(0))] if text else []
    pieces = [
        Piece(heading, pages.original_text(body[start:end], at + start), pages.at(at + start))
        for heading, body, at in _sections(text, " ".join(document.title.split()))
        for start, end in _spans(body, target, limit)
    ]
    # Nothing but the title, as a heading: better one passage that repeats it than a document without any.
    return pieces or [Piece("", document.title[i : i + limit]) for i in range(0, len(document.title), limit)]


def divide(document: Document, *, whole: bool = False) -> tuple[Document, list[Piece]]:
    """Split a document into pieces, or into one with `whole`."""
    document = normalize_dates(document)
    if not whole:
        return document, split(document)
    pages = _Pages(document.text)
    return document, [Piece("", pages.original_text(pages.text, 0), pages.at(0))]


class _Pages:
    """A text with line breaks for the form feeds between its pages, and where each page begins in it."""

    def __init__(self, text: str) -> None:
        bare = text.replace("\f", "\n")
        self.text = bare.strip()
        skipped = len(bare) - len(bare.lstrip())
        self._source = text[skipped : skipped + len(self.text)]
        self._starts = [match.start() - skipped for match in re.finditer("\f", text)]

    def at(self, place: int) -> int | None:
        """Return the page of a place in the text; None where there are no pages."""
        return 1 + bisect_right(self._starts, place) if self._starts else None

    def original_text(self, part: str, place: int) -> str:
        """Return a part of the text with its original form feeds."""
        source = self._source[place : place + len(part)]
        # Headings without a text of their own are no part of it.
        return source if "\f" in source and source.replace("\f", "\n") == part else part


# --- headings -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Heading:
    level: int
    name: str
    shown: bool
    """Whether a piece carries it already, or it is the title."""


def _sections(text: str, title: str) -> Iterator[tuple[str, str, int]]:
    """Yield the headings of each stretch of text, the stretch, and where it begins.

    Headings with nothing below them become text themselves.
    """
    path: list[_Heading] = []
    start = 0
    for match in _HEADING.finditer(text):
        yield from _section(path, text[start : match.start()], start, title)
        level, name = len(match[1]), " ".join(match[2].split())
        kept = [h for h in path if h.level < level]
        yield from _headings_as_text(path, kept, start, title)
        path = [*kept, _Heading(level, name, shown=not kept and name == title)]
        start = match.end()
    yield from _section(path, text[start:], start, title)
    yield from _headings_as_text(path, [], start, title)


def _section(path: list[_Heading], text: str, start: int, title: str) -> Iterator[tuple[str, str, int]]:
    body = text.strip()
    if body:
        yield _join_headings(path, title), body, start + len(text) - len(text.lstrip())
        for heading in path:
            heading.shown = True


def _headings_as_text(
    path: list[_Heading], kept: list[_Heading], start: int, title: str
) -> Iterator[tuple[str, str, int]]:
    lost = [h for h in path if not h.shown and h not in kept]
    if lost:
        yield from _section([h for h in path if h not in lost], "\n".join(h.name for h in lost), start, title)


def _join_headings(path: list[_Heading], title: str) -> str:
    return " > ".join(h.name for i, h in enumerate(path) if i or h.name != title)


# --- units ----------------------------------------------------------------------------------------


def _spans(text: str, target: int, limit: int) -> list[Span]:
    """Return where the pieces of a text without headings begin and end."""
    if len(text) <= limit:
        return [(0, len(text))]
    spans = list(_pack(_units(text, target, limit), target, limit))
    if len(spans) > 1:
        (start, _), (last, end) = spans[-2:]
        # A crumb at the end would be a passage that says nothing by itself.
        if (end - last) * 3 < target and end - start <= limit:
            spans[-2:] = [(start, end)]
    return spans


def _pack(units: Iterable[tuple[int, int, bool]], target: int, limit: int) -> Iterator[Span]:
    """Join neighboring units up to the target length, preferring paragraph ends."""
    start = end = -1
    for unit_start, unit_end, begins_paragraph in units:
        if start >= 0:
            now, grown = end - start, unit_end - start
            past = grown > target and grown - target >= target - now
            if grown > limit or past or (begins_paragraph and now * 2 >= target):
                yield start, end
                start = unit_start
        else:
            start = unit_start
        end = unit_end
    if start >= 0:
        yield start, end


def _units(text: str, target: int, limit: int) -> Iterator[tuple[int, int, bool]]:
    """Yield short paragraphs, units and parts of long ones, each with whether it begins a paragraph."""
    start = 0
    for end, after in (*(m.span() for m in _PARAGRAPH.finditer(text)), (len(text), len(text))):
        # A short paragraph says one thing; there is nothing to gain from cutting it into sentences.
        if (end - start) * 3 <= target:
            yield start, start + len(text[start:end].rstrip()), True
        else:
            first = True
            for unit in cut(text[start:end]):
                for unit_start, unit_end in _cut_to_fit(text, start + unit.start, start + unit.end, limit):
                    yield unit_start, unit_end, first
                    first = False
        start = _after_space(text, after)


def _cut_to_fit(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """Cut text over the limit: at a line break, else between words, else within a word."""
    while end - start > limit:
        chunk = text[start : start + limit]
        line = chunk.rfind("\n")
        head = chunk if chunk[-1].isspace() or text[start + limit].isspace() else chunk.rsplit(None, 1)[0]
        # A break in the first half would leave too small a piece.
        if line * 2 > limit:
            head = chunk[:line]
        stop = start + len(head.rstrip())
        yield start, stop
        start = _after_space(text, stop)
    if start < end:
        yield start, end


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
