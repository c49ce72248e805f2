"""Documents become passages: cut at headings, then at paragraphs and sentences, then at words. Linear in the length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from multihop.errors import InvalidInput
from multihop.text import sentences
from multihop.types import Document, Piece

Span = tuple[int, int]

_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S[^\n]{0,199})$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_SPACE = re.compile(r"\s*")
_WINDOW = 4
"""Sentences are looked for in this many limits of text at a time, so that one without end costs no more than many."""


def split(document: Document, *, target: int = 900, limit: int = 1600) -> list[Piece]:
    """Cut a document into pieces of about `target` and at most `limit` characters, without losing a word.

    A text that fits the limit and has no headings is one piece. The heading of a piece is the path of those it stands
    under, outermost first: "History > Early years". A heading that repeats the document's title is not
    repeated in the pieces, since every passage carries the title.
    """
    if not 0 < target <= limit:
        raise InvalidInput(f"target {target} and limit {limit} must be positive, and target at most limit")
    text = document.text.strip()
    if len(text) <= limit and "\n#" not in text and not text.startswith("#"):
        return [Piece("", text)] if text else []
    pieces = [
        Piece(heading, body[start:end])
        for heading, body in _sections(text, " ".join(document.title.split()))
        for start, end in _spans(body, target, limit)
    ]
    # Nothing but the title, as a heading: better one passage that repeats it than a document without any.
    return pieces or [Piece("", document.title[i : i + limit]) for i in range(0, len(document.title), limit)]


def divided(document: Document, *, whole: bool = False) -> tuple[Document, list[Piece]]:
    """Give a document with its pieces, which is one where it is to stay whole."""
    return document, [Piece("", document.text.strip())] if whole else split(document)


# --- headings -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Heading:
    level: int
    name: str
    shown: bool
    """Whether a piece carries it already, or it is the title."""


def _sections(text: str, title: str) -> Iterator[tuple[str, str]]:
    """Yield each stretch of text with its headings; headings with nothing below them become text themselves."""
    path: list[_Heading] = []
    start = 0
    for match in _HEADING.finditer(text):
        yield from _section(path, text[start : match.start()], title)
        level, name = len(match[1]), " ".join(match[2].split())
        kept = [h for h in path if h.level < level]
        yield from _unshown(path, kept, title)
        path = [*kept, _Heading(level, name, shown=not kept and name == title)]
        start = match.end()
    yield from _section(path, text[start:], title)
    yield from _unshown(path, [], title)


def _section(path: list[_Heading], text: str, title: str) -> Iterator[tuple[str, str]]:
    body = text.strip()
    if body:
        yield _joined(path, title), body
        for heading in path:
            heading.shown = True


def _unshown(path: list[_Heading], kept: list[_Heading], title: str) -> Iterator[tuple[str, str]]:
    lost = [h for h in path if not h.shown and h not in kept]
    if lost:
        yield from _section([h for h in path if h not in lost], "\n".join(h.name for h in lost), title)


def _joined(path: list[_Heading], title: str) -> str:
    return " > ".join(h.name for i, h in enumerate(path) if i or h.name != title)


# --- sentences ------------------------------------------------------------------------------------


def _spans(text: str, target: int, limit: int) -> list[Span]:
    """Say where the pieces of a text without headings begin and end."""
    if len(text) <= limit:
        return [(0, len(text))]
    spans = list(_packed(_units(text, target, limit), target, limit))
    if len(spans) > 1:
        (start, _), (last, end) = spans[-2:]
        if (end - last) * 3 < target and end - start <= limit:
            spans[-2:] = [(start, end)]
    return spans


def _packed(units: Iterable[tuple[int, int, bool]], target: int, limit: int) -> Iterator[Span]:
    """Join neighboring units until the next would lead further away from the target, or a paragraph ends near it."""
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
    """Yield short paragraphs, sentences and parts of long ones, each with whether it begins a paragraph."""
    start = 0
    for end, after in (*(m.span() for m in _PARAGRAPH.finditer(text)), (len(text), len(text))):
        if (end - start) * 3 <= target:
            yield start, start + len(text[start:end].rstrip()), True
        else:
            first = True
            for unit_start, unit_end in _sentences(text, start, end, limit):
                yield unit_start, unit_end, first
                first = False
        start = _after_space(text, after)


def _sentences(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    while start < end:
        stop = min(end, start + _WINDOW * limit)
        spans = [part for s, e in _located(text, start, stop) for part in _fitting(text, s, e, limit)]
        if stop < end and spans and spans[-1][0] > start:
            # The last one may go on beyond the window, so the next window begins with it.
            stop = spans.pop()[0]
        yield from spans
        start = stop


def _located(text: str, start: int, stop: int) -> Iterator[Span]:
    at = start
    for sentence in sentences(text[start:stop]):
        at = text.index(sentence, at)
        yield at, at + len(sentence)
        at += len(sentence)


def _fitting(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """Cut what is longer than the limit: at a line break, else between words, and within a word only at last."""
    while end - start > limit:
        chunk = text[start : start + limit]
        line = chunk.rfind("\n")
        head = chunk if chunk[-1].isspace() or text[start + limit].isspace() else chunk.rsplit(None, 1)[0]
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
