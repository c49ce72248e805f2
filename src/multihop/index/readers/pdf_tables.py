"""Tables in PDF files, by where their words stand: rows get the names of their columns.

A PDF file holds words at places and no tables. Lines whose words stand in the same columns, most of them figures, are
the rows of one; the lines above that name the columns are its header, and the line above these its caption, which often
says the unit. Headings among the rows do not end a table, and one that goes on at the top of the next page has the
header of the one before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from multihop.index.readers.tables import named_row

_FIGURE = re.compile(r"[-–−(]?\s?[€$£]?\s?\d[\d.,\s]*\)?\s?%?[*†]?|[-–—]|n/?a", re.IGNORECASE)
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d\*?")
_GAP = 1.1
"""Words further apart than this, in heights of a letter, are in different cells."""
_BEFORE_FIGURE, _BETWEEN_FIGURES = 0.9, 0.6
"""The same before a figure, and between two: no text is set that wide, and narrow columns are."""
_FAR = 12.0
_SIGN = re.compile(r"[€$£¥]?\(?|\([€$£¥]")
_CLOSES = re.compile(r"\)?%?")
_APART = 3.2
"""Lines further apart than this are not of one table."""
_UNIT = re.compile(r"\([^()]{4,58}\)")
_LEAST_ROWS = 2
_SUBHEADS = 6
"""Maximum number of lines without figures between two rows of a table."""
_TOP, _BOTTOM = 2, 2
"""Maximum number of lines above and below a table that continues from, or on, another page."""
_MOST_COLUMNS = 20
_HEADS = 3
_LONGEST_NAME = 60
_FIGURES = 0.5
"""The least share of the cells behind the first column that are figures."""
_MOST_CHARACTERS = 50_000


class Word(NamedTuple):
    """A word of a page and its position in points; `middle` is its vertical center, measured from the bottom."""

    text: str
    left: float
    right: float
    middle: float
    height: float


class _Cell(NamedTuple):
    text: str
    left: float
    right: float


class _Line(NamedTuple):
    cells: list[_Cell]
    middle: float
    height: float

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)


@dataclass(slots=True)
class Columns:
    """The header of the last table: the places and the names of its columns."""

    spans: list[tuple[float, float]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def named_rows(words: Iterable[Word], before: Columns) -> dict[str, str]:
    """Return the rows of the tables of a page: how each is written with the names of its columns, by its letters.

    `before` is the header of the table that the page before ended with, and is updated.
    """
    written: dict[str, str] = {}
    lines = list(_lines(words))
    # Only at the top of a page can a table go on from the page before.
    held, ended = Columns(before.spans, before.names), 0
    for start, stop in _runs(lines):
        if start - ended > (_TOP if not ended else _SUBHEADS) or not _are_subheads(lines[ended:start], held):
            held = Columns()
        elif held.names and not held.names[0]:
            # The unit may stand below the header: "(in millions)".
            held.names[0] = next((line.text for line in lines[ended:start] if _UNIT.fullmatch(line.text)), "")
        run = lines[start:stop]
        columns = _columns(run)
        if not _holds_figures(run):
            held, ended = _head(lines, start, stop), stop
            continue
        heads, rows = _split_header(run, columns)
        names = _names(heads, columns)
        if not any(names[1:]):
            rows, names = run, _names_above(held, columns)
        elif not names[0]:
            names[0] = _caption(lines[:start], columns[1][0])
        if names and names[0] and (len(run) >= _LEAST_ROWS or held.names):
            for row in rows:
                cells = _in_columns(row, columns)
                if sum(map(bool, cells)) > 1:
                    written[letters(row.text)] = named_row(names, cells)
            held = Columns(columns, names)
        else:
            held = Columns()
        ended = stop
    goes_on = bool(lines) and len(lines) - ended <= _BOTTOM
    before.spans, before.names = (held.spans, held.names) if goes_on else ([], [])
    return written


def letters(text: str) -> str:
    """Return the letters and digits of a text, by which the same line is known however it was extracted."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


# --- words and lines ---


def words_on(page: Any) -> Iterator[Word]:
    """Yield the words of a pdfium page, in the order of the file."""
    from pypdfium2 import raw

    text = page.get_textpage()
    said, box = "", (0.0, 0.0, 0.0, 0.0)
    for place in range(min(text.count_chars(), _MOST_CHARACTERS)):
        letter = chr(raw.FPDFText_GetUnicode(text, place))
        if letter.isspace() or not letter.isprintable():
            if said:
                yield _word(said, box)
            said = ""
            continue
        left, bottom, right, top = text.get_charbox(place, loose=True)
        height = max(box[3] - box[1], 1e-6)
        beside = said and abs(bottom - box[1]) < 0.4 * height and -0.3 * height < left - box[2] < 0.3 * height
        if beside:
            said, box = said + letter, (box[0], box[1], max(right, box[2]), max(top, box[3]))
        else:
            if said:
                yield _word(said, box)
            said, box = letter, (left, bottom, right, top)
    if said:
        yield _word(said, box)


def _word(said: str, box: tuple[float, float, float, float]) -> Word:
    left, bottom, right, top = box
    return Word(said, left, right, (bottom + top) / 2, max(top - bottom, 1e-6))


def _lines(words: Iterable[Word]) -> Iterator[_Line]:
    """Yield the lines of a page from the top, each cut into cells at wide gaps."""
    line: list[Word] = []
    for word in sorted(words, key=lambda w: (-w.middle, w.left)):
        if line and abs(line[0].middle - word.middle) > 0.5 * min(line[0].height, word.height):
            yield _line(line)
            line = []
        line.append(word)
    if line:
        yield _line(line)


def _line(words: list[Word]) -> _Line:
    words.sort(key=lambda w: w.left)
    height = max(w.height for w in words)
    cells = [_Cell(words[0].text, words[0].left, words[0].right)]
    for word in words[1:]:
        last, gap = cells[-1], (word.left - cells[-1].right) / height
        # The sign of a currency stands at the left of its column, far from its figure; ")" and "%" behind theirs.
        signed = _SIGN.fullmatch(last.text) or _CLOSES.fullmatch(word.text)
        joined = gap <= (_FAR if signed else _least_gap(last.text, word.text))
        if not joined or (_SIGN.fullmatch(word.text) and gap > _GAP / 3):
            cells.append(_Cell(word.text, word.left, word.right))
        else:
            cells[-1] = _Cell(f"{last.text} {word.text}", last.left, max(word.right, last.right))
    return _Line(cells, words[0].middle, height)


def _least_gap(before: str, behind: str) -> float:
    """Return how far two words must stand apart to be cells of their own: figures less than words."""
    if not _FIGURE.fullmatch(behind):
        return _GAP
    return _BETWEEN_FIGURES if _FIGURE.fullmatch(before) else _BEFORE_FIGURE


# --- tables ---


def _runs(lines: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    """Yield where tables or parts of them begin and end: lines of several cells, or of a year, one below the other."""
    start = 0
    while start < len(lines):
        stop = start
        while (
            stop < len(lines)
            and (len(lines[stop].cells) > 1 or _is_year(lines[stop]))
            and (stop == start or _below(lines, stop))
        ):
            stop += 1
        if stop > start:
            yield start, stop
        start = max(stop, start + 1)


def _below(lines: Sequence[_Line], place: int) -> bool:
    above, line = lines[place - 1], lines[place]
    return above.middle - line.middle < _APART * max(above.height, line.height)


def _is_year(line: _Line) -> bool:
    """Return whether a line is a single year, which may name the only column of figures."""
    return len(line.cells) == 1 and bool(_YEAR.fullmatch(line.cells[0].text))


def _are_subheads(lines: Sequence[_Line], held: Columns) -> bool:
    """Return whether lines can stand among the rows of a table: they end before its last column, as no prose does."""
    ends = held.spans[-1][0] if held.spans else 0.0
    return all(len(line.cells) == 1 and (line.cells[0].right < ends or _UNIT.fullmatch(line.text)) for line in lines)


def _head(lines: Sequence[_Line], start: int, stop: int) -> Columns:
    """Return the columns of a header that stands above headings such as "Current assets:"; none if it is no header."""
    for first in range(max(start, stop - _HEADS), stop):
        run = lines[first:stop]
        columns = _columns(run)
        # A title may stand above it.
        if len(columns) == max(len(line.cells) for line in run):
            names = _names(run, columns)
            if not any(map(_YEAR.search, names)):
                continue
            if _YEAR.search(names[0]):
                # The first column has no name.
                return Columns([(0.0, 0.0), *columns], [_caption(lines[:first], columns[0][0]), *names])
            return Columns(columns, names)
    return Columns()


def _names_above(held: Columns, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return the names of columns by the header above them; none unless each lies below one name of its own."""
    places = [0]
    for column in columns[1:]:
        above = [at for at, span in enumerate(held.spans) if at and span[0] < column[1] and column[0] < span[1]]
        if len(above) != 1 or above[0] in places:
            return []
        places += above
    return [held.names[place] for place in places] if held.names else []


def _holds_figures(lines: Sequence[_Line]) -> bool:
    behind = [cell.text for line in lines for cell in line.cells[1:]]
    figures = sum(bool(_FIGURE.fullmatch(text)) for text in behind)
    rows = sum(any(_FIGURE.fullmatch(c.text) and not _YEAR.fullmatch(c.text) for c in line.cells[1:]) for line in lines)
    return bool(behind) and figures >= _FIGURES * len(behind) and rows >= 1


def _columns(lines: Sequence[_Line]) -> list[tuple[float, float]]:
    """Join the places of cells that lie above each other into columns."""
    spans: list[tuple[float, float]] = []
    for cell in sorted((c for line in lines for c in line.cells), key=lambda c: c.left):
        if spans and cell.left < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], cell.right))
        else:
            spans.append((cell.left, cell.right))
    return spans[:_MOST_COLUMNS]


def _in_columns(line: _Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    cells = [""] * len(columns)
    for cell in line.cells:
        middle = (cell.left + cell.right) / 2
        place = min(range(len(columns)), key=lambda i: _away(middle, columns[i]))
        cells[place] = f"{cells[place]} {cell.text}".strip()
    return cells


def _away(at: float, span: tuple[float, float]) -> float:
    return 0.0 if span[0] <= at <= span[1] else min(abs(at - span[0]), abs(at - span[1]))


def _split_header(lines: Sequence[_Line], columns: Sequence[tuple[float, float]]) -> tuple[list[_Line], list[_Line]]:
    """Separate the header lines from the rows: they contain no figures except years."""
    count = 0
    for line in lines[:_HEADS]:
        behind = [text for text in _in_columns(line, columns)[1:] if text]
        if not behind or any(_FIGURE.fullmatch(text) and not _YEAR.fullmatch(text) for text in behind):
            break
        count += 1
    return list(lines[:count]), list(lines[count:])


def _names(heads: Sequence[_Line], columns: Sequence[tuple[float, float]]) -> list[str]:
    cells = [_in_columns(head, columns) for head in heads]
    names = [" ".join(filter(None, (row[i] for row in cells))) for i in range(len(columns))]
    return names if all(len(name) <= _LONGEST_NAME for name in names) else [""] * len(columns)


def _caption(above: Sequence[_Line], left: float) -> str:
    """Return the line above a table, if it can be a caption; it names the first column where nothing else does.

    A line that begins right of `left`, as "Years ended", stands above several columns, and names the first one if no
    other line can.
    """
    spanning = ""
    while above and len(above[-1].cells) == 1 and above[-1].cells[0].left >= left:
        spanning, above = spanning or above[-1].text.rstrip(":,. "), above[:-1]
    if above and len(above[-1].cells) == 1:
        said = above[-1].text.rstrip(":. ")
        if said.startswith("(") and len(said) > _LONGEST_NAME:
            said = said.partition(",")[0].strip("( ")  # "(In millions, except number of shares which are …)"
        if len(said) <= _LONGEST_NAME and not above[-1].text.endswith(".") and ": " not in said:
            return said
    return spanning if len(spanning) <= _LONGEST_NAME and ": " not in spanning else ""
