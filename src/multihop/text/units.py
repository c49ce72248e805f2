"""Units: the smallest parts of a text that can be quoted. A sentence, a list item, a table row, a mail header.

Everything that reads passages piece by piece (features, ranker, chain, answers, language models) and the splitter cut
texts here and nowhere else, so a quote is never half of a row. Units are a pure function of the text and are not
stored: cutting a passage takes 20 to 200 microseconds, about as long as stemming its words; the cache spares most of
that, and an index never holds offsets that an older version has cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from multihop.text import sentence_spans

Kind = Literal["sentence", "item", "row", "field", "heading", "line", "code"]
"""`field` is one of several lines of the form "From: Pia Holm", `line` a line of its own that is no sentence."""


class Unit(NamedTuple):
    """Where a unit begins and ends in its text, in characters, and what kind of text it is."""

    start: int
    end: int
    kind: Kind = "sentence"

    def of(self, source: str) -> str:
        """Return the words of the unit."""
        return source[self.start : self.end]


class _Line(NamedTuple):
    """A line that is not blank: where its words begin and end, how far they are indented, how deeply quoted."""

    start: int
    end: int
    indent: int
    depth: int
    text: str


SEPARATOR = " · "
"""Stands between the cells of a row: "Name: Pia Holm · Office: Sandnes"."""
_LABEL = re.compile(r"\S[^\n]{0,79}?:\s")
_FIELD = re.compile(r"[^\W\d_a-z][\w./()'’&-]*(?:[ \t]+[\w./()'’&-]+){0,4}:[ \t]+\S")
_STAMPED = re.compile(
    r"\[?\d[\d/.:, \t-]{3,22}(?:[ap]m)?\]?[ \t-]*[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,4}:[ \t]+\S", re.IGNORECASE
)
"""A message of a chat: "[08/12/2023 18:22] Pia Holm: …"."""
_QUOTING = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_BULLET = re.compile(r"(?:[-*+•‣◦▪●○·–—]|\[[ xX]\])[ \t]+(?=\S)")
_NUMBERED = re.compile(r"\(?(\d{1,3}|[a-z]|[ivx]{2,4})[.)][ \t]+(?=\S)")
_CODE = re.compile(r"[=(){}\[\];<>$_#\\`|]|//|:$")
_ENDS = re.compile(r"[.!?…।॥؟۔。！？:;][\"'”’)\]]*$")
_USUAL_ENDS = frozenset(".!?")
_FIRST_NUMBERS = frozenset(("1", "a", "i"))
_OPEN = re.compile(r"[(\[][^()\[\]]{0,60}$")
"""A bracket that the end of a line leaves open."""
_CLOSING = frozenset(")],;%")
_UNFINISHED = frozenset("a an and as at by for from in into of on or than that the to with".split())
"""No line that was ended on purpose ends with one of these."""
_CELL = 120
"""A line with bars is a row if its cells have no more characters than this on average."""
_LONG_FIELD = 200
"""A longer line behind a label is what somebody says, and cut into sentences."""
_NARROW = 40
"""No prose is wrapped at fewer characters: the lines of a narrower block are lines of their own."""
_SLACK = 0.75
"""Proportional fonts wrap at different numbers of characters; only a line below this share of the width was ended."""


@lru_cache(maxsize=8192)
def units(source: str) -> tuple[Unit, ...]:
    """Cut a passage into units, as `cut` does, and remember them: a passage is read many times."""
    return tuple(cut(source))


def unit_texts(source: str) -> list[str]:
    """Return the words of every unit of a passage."""
    return [source[unit.start : unit.end] for unit in units(source)]


def opening(source: str, room: int) -> str:
    """Return the first units of a text that have room together; only the first is cut, where it is too long itself."""
    if len(source) <= room:
        return source
    ends = [unit.end for unit in units(source) if unit.end <= room]
    return source[: ends[-1]] if ends else source[:room]


def cut(source: str) -> Iterator[Unit]:
    """Cut a text of any length into units, in order and without overlap.

    They hold every character that is not blank, but for the `>` before lines that a mail quotes. Prose is cut into
    sentences, also where its lines are wrapped. Rows, items, headings, fields and lines of code are never joined with
    their neighbors, and a blank line ends every unit.
    """
    if "\n" not in source and "\f" not in source:
        line = source.strip()
        if not (line.startswith(("#", ">")) or _is_row(line) or _marker(line, "", first=True)):
            yield from _sentences(source, 0, 0, len(source), "sentence")
            return
    # The same length without the marks of quoted lines, which would hide where a sentence begins.
    bare = _QUOTING.sub(lambda mark: " " * len(mark[0]), source) if ">" in source else source
    for block in _blocks(source, bare):
        yield from _block(bare, block)


def _blocks(source: str, bare: str) -> Iterator[list[_Line]]:
    """Yield the runs of lines that neither a blank line interrupts nor another depth of quotation."""
    block: list[_Line] = []
    at = 0
    for text in bare.replace("\f", "\n").split("\n"):
        said = text.strip()
        start = at + len(text) - len(text.lstrip())
        depth = source.count(">", at, start) if bare is not source else 0
        if block and (not said or depth != block[-1].depth):
            yield block
            block = []
        if said:
            block.append(_Line(start, start + len(said), start - at, depth, said))
        at += len(text) + 1
    if block:
        yield block


def _block(source: str, lines: list[_Line]) -> Iterator[Unit]:
    if _is_code(lines):
        yield from (Unit(line.start, line.end, "code") for line in lines)
        return
    width = max(len(line.text) for line in lines)
    kinds = _kinds(lines)
    run: list[_Line] = []
    kind: Kind = "sentence"
    for place, (line, own) in enumerate(zip(lines, kinds, strict=True)):
        if own is None and place and _goes_on(kind, lines[place - 1], line, width):
            run.append(line)
            continue
        yield from _units(source, run, kind)
        run, kind = [line], own or "sentence"
    yield from _units(source, run, kind)


def _kinds(lines: list[_Line]) -> list[Kind | None]:
    """Return which kind of unit each line begins by itself; None for prose, which may go on from the line before."""
    kinds: list[Kind | None] = []
    for place, line in enumerate(lines):
        before = lines[place - 1].text if place else ""
        if _is_row(line.text):
            kinds.append("row")
        elif line.text[0].isalpha() and line.text[1:2].isalpha():
            kinds.append(None)  # most lines: no mark of a list or a heading begins with a word
        elif line.text[0] == "#" and _HEADING.match(line.text):
            kinds.append("heading")
        elif _marker(line.text, before, first=not place or kinds[-1] == "item"):
            kinds.append("item")
        else:
            kinds.append(None)
    # One line with a colon or a wide gap may be prose; several in a row are a form, the head of a mail or a table.
    if len(lines) > 1:
        _mark(
            kinds,
            lines,
            [":" in line.text and bool(_FIELD.match(line.text) or _STAMPED.match(line.text)) for line in lines],
            "field",
        )
        _mark(kinds, lines, ["\t" in line.text or "   " in line.text for line in lines], "row")
    return kinds


def _mark(kinds: list[Kind | None], lines: list[_Line], fits: list[bool], kind: Kind) -> None:
    """Return a kind to the lines that fit it and have a neighbor that does."""
    before = False
    for i, (line, one) in enumerate(zip(lines, fits, strict=True)):
        if one and kinds[i] is None and (before or any(fits[i + 1 : i + 2])):
            kinds[i] = kind
        # A long header of a mail goes on in lines that are indented.
        before = one or (before and line.indent > 0)


def _is_row(line: str) -> bool:
    if SEPARATOR in line:
        first, *others = line.split(SEPARATOR)
        if _LABEL.match(first) and any(map(_LABEL.match, others)):
            return True
    return "|" in line and (line.startswith("|") or 0 < line.count(" | ") >= len(line) / _CELL - 1)


def _marker(line: str, before: str, *, first: bool) -> int:
    """Return the length of the mark that a list item begins with; 0 where there is none."""
    if mark := _BULLET.match(line):
        return mark.end()
    # A number may also end a sentence that was wrapped before it: "on May / 12. Then".
    if (mark := _NUMBERED.match(line)) and (first or mark[1] in _FIRST_NUMBERS or _ENDS.search(before[-8:])):
        return mark.end()
    return 0


def _goes_on(kind: Kind, before: _Line, line: _Line, width: int) -> bool:
    """Return whether a line without a mark continues the lines above it."""
    if kind in ("row", "heading"):
        return False
    if kind == "field":
        return line.indent > 0
    last = before.text.rsplit(None, 1)[-1]
    if line.text[0].islower() or last[-1] == "," or last in _UNFINISHED or (kind == "item" and line.indent > 1):
        return True
    # PDF files have lines of their own for subscripts: "methane (CH / 4 / ), nitrous oxide".
    if line.text[0] in _CLOSING or _OPEN.search(before.text) or (line.text[0] == "(" and not _ENDS.search(last)):
        return True
    # Where the next word had room on the line above, the end of that line is meant.
    room = len(before.text) + 1 + len(line.text.split(None, 1)[0])
    return width >= _NARROW and room > _SLACK * width


def _is_code(lines: list[_Line]) -> bool:
    """Return whether a block is indented and looks like a program; the first indent may have been stripped."""
    if any(line.indent < 4 or line.depth for line in lines[1:] or lines):
        return False
    return 2 * sum(bool(_CODE.search(line.text)) for line in lines) >= len(lines)


def _units(source: str, run: list[_Line], kind: Kind) -> Iterator[Unit]:
    if not run:
        return
    start, end = run[0].start, run[-1].end
    if kind in ("row", "heading") or (kind == "field" and end - start <= _LONG_FIELD):
        yield Unit(start, end, kind)
    else:
        mark = _marker(run[0].text, "", first=True) if kind == "item" else 0
        yield from _sentences(source, start, start + mark, end, kind)


def _sentences(source: str, start: int, words: int, end: int, kind: Kind) -> Iterator[Unit]:
    """Cut prose into sentences; the mark of an item, between `start` and `words`, belongs to the first of them."""
    for place, (first, last) in enumerate(sentence_spans(source[words:end])):
        begin = start if kind == "item" and not place else words + first
        end_of = words + last
        ends = kind != "sentence" or source[end_of - 1] in _USUAL_ENDS
        if not ends:
            ends = bool(_ENDS.search(source[max(words + first, end_of - 8) : end_of]))
        yield Unit(begin, end_of, kind if ends else "line")
