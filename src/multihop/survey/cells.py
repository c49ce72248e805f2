"""Cells of tables, forms and lists of facts: which of them a heading such as "Revenue in 2023" asks for.

A cell is known by the words of its row and of its column. Rows come with the names of their columns where a reader of
files knows them; lines of a PDF take them from the line of years above, and their unit from the caption.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from multihop import text
from multihop.survey.columns import Column, is_usual
from multihop.survey.quantities import NAMES, Scale, Value, scale_of, values_in
from multihop.text.units import SEPARATOR, units
from multihop.types import Passage

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NEUTRAL = frozenset(
    text.stems(
        """total value amount item name detail description group consolidated key figure current latest year fiscal fy
        company its our their field entry information number no of the per end december june september march contract
        agreement million thousand billion eur usd gbp chf czk nok sek dkk m mn bn k""".split()
    )
)
_ASKING = frozenset(text.stems("who what when where which how many much is are was be have there company".split()))
_NOT_A_VALUE = re.compile(
    r"\b(?:change|changes|variance|notes?|ref|difference|yoy|budget|plan|target|forecast)\b|Δ|±", re.I
)
_PART = re.compile(r"\b(?:current|other)\b", re.IGNORECASE)
"""Rows of a part of what is asked: "Total current assets", "Other income, net"."""
_FIELD = re.compile(r"[-*•\s]*(?P<label>[^:.;!?\n|]{2,60}):\s+(?P<value>\S[^\n]{0,300})$")
_NUMERIC = re.compile(r"[-–−(]?[€$£]?\d(?:[\d.,]*\d)?\)?%?|[-–—]|n/?a", re.IGNORECASE)
_PARENTHESES = re.compile(r"\([^()]*\)")
_PERIOD = re.compile(r"\b(?:day|month|year|week|hour)s?\b", re.IGNORECASE)
_PREFIX = 5
_NEAR = 0.8
_LONGEST_LABEL = 10
_SIMILAR = 0.62
"""A row whose words fit less than this is another one."""


class Line(NamedTuple):
    """A unit of a file: where it stands, and what the headings and captions above say of it."""

    passage: Passage
    start: int
    end: int
    text: str
    stems: frozenset[str]
    scale: Scale | None = None
    """The unit of the figures of a table; None where it is no row."""
    years: tuple[str, ...] = ()

    def scale_for(self, kind: str) -> Scale | None:
        """Return the unit of figures that stand alone in the line; None for money in what is no row of a table."""
        is_row = SEPARATOR in self.text or "|" in self.text or bool(_trailing(self.text))
        if not is_row or self.scale is None:
            return None
        # People are not counted in the thousands of euros that a table is in.
        return self.scale if kind == "money" or not self.scale.currency else Scale()

    @property
    def page(self) -> int | None:
        return self.passage.page_at(self.start)


class Cell(NamedTuple):
    """A cell: the words of its row and of its column, and where its value stands in the line."""

    line: Line
    row: str
    column: str
    start: int
    value: str
    pair: bool = False
    """Whether its row has no other cell: then the name of its column says little."""


class CellMatch(NamedTuple):
    """A cell, the value in it, and how well its words fit what is asked."""

    cell: Cell
    value: Value
    fit: float


@dataclass(frozen=True, slots=True)
class Topic:
    """The words of a column: alternatives, each as stems, and the years that it names."""

    names: tuple[frozenset[str], ...]
    years: frozenset[str]

    @classmethod
    def of(cls, column: Column) -> Topic:
        names = tuple(filter(None, (_content(each) for each in (column.label, *column.also))))
        return cls(names, frozenset(YEAR.findall(column.label)))

    def coverage(self, stems: frozenset[str]) -> float:
        """Return the share of the words of the best alternative that are among these, but for words such as "name"."""
        telling = [name - _NEUTRAL for name in self.names]
        return max((sum(near(s, stems) for s in t) / len(t) if t else 1.0 for t in telling), default=0.0)

    def fit(self, stems: frozenset[str], beside: frozenset[str]) -> float:
        """Say how well a row and column are what is asked: nothing missing, and nothing else named."""
        best = 0.0
        for name in self.names:
            own = sum(near(s, stems) for s in name)
            around = sum(0.6 * near(s, beside) for s in name if not near(s, stems))
            covered = (own + around) / len(name)
            others = sum(1 for s in stems if s not in _NEUTRAL and not near(s, name))
            precise = own / (own + 0.8 * others) if own else 0.0
            best = max(best, covered**2 * precise)
        return best


def near(stem: str, others: Iterable[str]) -> float:
    """Say whether a stem is among others, also by its beginning: "audit" and "auditor"."""
    if stem in others:
        return 1.0
    if len(stem) < _PREFIX:
        return 0.0
    return _NEAR if any(other[:_PREFIX] == stem[:_PREFIX] for other in others if len(other) >= _PREFIX) else 0.0


@lru_cache(maxsize=65_536)
def _content(said: str) -> frozenset[str]:
    words = [w for w in text.words(said) if w not in text.STOPWORDS and not w.isdigit()]
    return frozenset(s for s in text.stems(words) if s not in _ASKING) or frozenset(text.stems(words))


def lines_of(passages: Iterable[Passage]) -> list[Line]:
    """Cut passages into lines, each with the unit and the years of the table that it belongs to."""
    found: list[Line] = []
    seen: set[tuple[str, str, int | None]] = set()
    heading, scale, years = ("", ""), Scale(), tuple[str, ...]()
    for passage in passages:
        if (passage.document_id, passage.heading) != heading:
            heading = (passage.document_id, passage.heading)
            scale, years = scale_of(f"({passage.heading})") if passage.heading else Scale(), ()
        for start, end, kind in _pieces(passage.text):
            said = passage.text[start:end]
            is_row = kind in ("row", "field") or bool(_trailing(said))
            own = scale_of(said) if len(said) < 160 else Scale()
            header = _years_of(said)
            if own != Scale() and (header or not is_row):
                scale = own
            if header:
                years = header
            elif kind == "sentence":
                scale, years = own, ()
            # Passages may overlap; a sentence counts once on a page.
            page = passage.page_at(start)
            key = (passage.document_id, said, page)
            if key not in seen or is_row:
                seen.add(key)
                stems = frozenset(text.stems(text.words(said)))
                # The first column of a table is often called after its unit.
                named = scale_of(f"({said.partition(': ')[0]})") if SEPARATOR in said else Scale()
                its_scale = (named if named != Scale() else scale) if is_row else None
                found.append(Line(passage, start, end, said, stems, its_scale, years))
    return found


def _pieces(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield units; prose with lines that end in figures is a table, and cut line by line."""
    for unit in units(source):
        said = unit.of(source)
        lines = said.split("\n")
        if unit.kind != "row" and len(lines) > 1 and any(_trailing(line) or _years_of(line) for line in lines):
            at = unit.start
            for line in lines:
                bare = line.strip()
                if bare:
                    start = at + line.index(bare)
                    yield start, start + len(bare), "line"
                at += len(line) + 1
        else:
            yield unit.start, unit.end, unit.kind


def _years_of(said: str) -> tuple[str, ...]:
    """Read the header of columns that are years: "EUR million 2023 2022"."""
    found = YEAR.findall(said)
    rest = YEAR.sub(" ", said)
    return (
        tuple(found) if found and len(rest.split()) <= 6 and not re.search(r"\d|[.;]", rest) and ":" not in said else ()
    )


def _trailing(said: str) -> list[tuple[int, str]]:
    """Find the figures that a line ends with, behind a short label; none where it is no row of a table."""
    found: list[tuple[int, str]] = []
    end = len(said.rstrip())
    while token := re.search(r"\S+$", said[:end]):
        if not _NUMERIC.fullmatch(token[0]):
            break
        found.insert(0, (token.start(), token[0]))
        end = len(said[: token.start()].rstrip())
    label = said[:end]
    if not found or not re.search(r"[A-Za-z]{2}", label) or len(label.split()) > _LONGEST_LABEL or ". " in label:
        return []
    return found


def cells_of(line: Line) -> Iterator[Cell]:
    """Take a line apart into cells."""
    said = line.text
    if _years_of(said):
        return
    if SEPARATOR in said:
        yield from _named_cells(line)
    elif "|" in said:
        parts = [(m.start(), m[0]) for m in re.finditer(r"[^|]+", said)]
        cells = [(at + len(part) - len(part.lstrip()), part.strip()) for at, part in parts if part.strip()]
        if len(cells) > 1:
            yield from _in_columns(line, cells[0][1], cells[1:])
    elif field := _FIELD.match(said):
        yield Cell(line, field["label"].strip("*_ "), "", field.start("value"), field["value"].rstrip())
    elif figures := _trailing(said):
        yield from _in_columns(line, said[: figures[0][0]].strip(), figures)


def _named_cells(line: Line) -> Iterator[Cell]:
    at, row = 0, ""
    parts = [part.partition(": ") for part in line.text.split(SEPARATOR)]
    if parts[1:] and all(name == value and YEAR.fullmatch(value) for name, _, value in parts[1:]):
        return  # the header of another table, in a sheet of several
    for place, part in enumerate(line.text.split(SEPARATOR)):
        name, colon, value = part.partition(": ")
        name, value, shift = (name, value, len(name) + 2) if colon else ("", part, 0)
        if place == 0:
            row = value
            yield Cell(line, "", name, at + shift, value)
        else:
            yield Cell(line, row, name, at + shift, value, pair=len(parts) == 2)
        at += len(part) + len(SEPARATOR)


def form_heads(lines: Iterable[Line]) -> Iterator[Cell]:
    """Yield the first pair of each form, which a table in Markdown has where its header should be."""
    forms: dict[tuple[str, str, str], list[tuple[Line, str]]] = {}
    for line in lines:
        cells = [part.partition(": ") for part in line.text.split(SEPARATOR)]
        if len(cells) == 2 and all(colon for _, colon, _ in cells):
            (label, _, first), (value, _, _) = cells
            forms.setdefault((line.passage.document_id, label, value), []).append((line, first))
    for (_, label, value), rows in forms.items():
        # Below the first pair of a form stand other labels, below the header of a table what it lists.
        if not is_usual(value) and 2 * sum(is_usual(first) for _, first in rows) >= len(rows):
            line = rows[0][0]
            yield Cell(line, label, "", line.text.index(f"{SEPARATOR}{value}: ") + len(SEPARATOR), value)


def _in_columns(line: Line, row: str, cells: Sequence[tuple[int, str]]) -> Iterator[Cell]:
    # Columns of years stand at the right; before them there may be one of notes.
    shift = len(cells) - len(line.years)
    for place, (at, value) in enumerate(cells):
        named = line.years[place - shift] if line.years and 0 <= place - shift < len(line.years) else ""
        if line.years and not named:
            continue
        yield Cell(line, row, named, at, value)


def look_up(column: Column, topic: Topic, lines: Sequence[Line]) -> list[CellMatch]:
    """Find the cells that a column asks for, the best first."""
    asked = (line for line in lines if topic.coverage(line.stems | _content(line.passage.heading)) >= 0.5)
    found = [
        CellMatch(cell, value, fit)
        for cell in (*form_heads(lines), *(cell for line in asked for cell in cells_of(line)))
        if (fit := _fit(column, topic, cell)) >= _SIMILAR and (value := _value(column, cell))
    ]
    # A column of many rows, such as a list of people, does not say which of them is asked for.
    heads = Counter((m.cell.line.passage.document_id, m.cell.column) for m in found if not m.cell.row)
    found = [m for m in found if m.cell.row or heads[m.cell.line.passage.document_id, m.cell.column] == 1]
    # Without a year the newest one is meant.
    return sorted(found, key=lambda m: (-round(m.fit, 2), -max(map(int, _years(m.cell)), default=0)))


def _years(cell: Cell) -> list[str]:
    return YEAR.findall(f"{cell.column} {cell.row}")


def _fit(column: Column, topic: Topic, cell: Cell) -> float:
    if _NOT_A_VALUE.search(cell.column) and not _NOT_A_VALUE.search(column.label):
        return 0.0
    if column.kind == "money" and _PART.search(cell.row) and not _PART.search(column.label):
        return 0.0
    own = _content(_PARENTHESES.sub(" ", f"{cell.row} {'' if cell.pair else cell.column}"))
    fit = topic.fit(own, _content(cell.line.passage.heading) | _content(" ".join(_PARENTHESES.findall(cell.row))))
    years = set(_years(cell)) or set(YEAR.findall(cell.line.passage.heading))
    if topic.years and years:
        return fit if topic.years & years else 0.0
    return fit * (0.9 if topic.years else 1.0)


def _value(column: Column, cell: Cell) -> Value | None:
    said, kind = cell.value.strip(), column.kind
    if not said or said in "-–—" or said.lower() in ("n/a", "na", "none", "nil"):
        return None
    if kind in (*NAMES, "text", "list", "yes/no"):
        # In a form a figure may be a text, such as a version; in other tables it is a number.
        labeled = kind == "text" and (cell.pair or not cell.column)
        if not (labeled or any(letter.isalpha() for letter in said)) or len(said) > 200:
            return None
        if kind == "yes/no":
            first = re.match(r"(yes|no)\b", said, re.IGNORECASE)
            return Value(0, len(said), first[1].lower()) if first else None
        plain = " ".join(said.split()).rstrip(" ;")
        # "University of Bergen, master of science": behind a name a comma begins something else.
        name, comma, rest = plain.partition(", ")
        named = kind in NAMES and comma and name[:1].isupper() and rest[:1].islower()
        return Value(0, len(said), name if named else plain)
    labels = f"{cell.row} {cell.column}"
    if kind == "percent" and "%" in labels and re.fullmatch(r"[-–−(]?\d[\d.,]*\)?", said):
        said += "%"
    if (
        kind == "duration"
        and re.fullmatch(r"\d[\d.,]*", said)
        and (unit := re.search(r"\b(day|month|year|week|hour)s?\b", labels, re.I))
    ):
        said += f" {unit[0]}"
    if kind == "date" and not re.search(r"[|·]", cell.line.text):
        # A line that ends in figures may end in a date, of which they are the last part.
        days = values_in(kind, cell.line.text)
        return next((day for day in days if day.start <= cell.start + len(said) - 1 < day.end), None)
    found = values_in(kind, said, _scale(kind, labels, cell))
    # A sentence is no cell; the value must be most of it.
    if not found or (kind in ("money", "number", "percent") and len(said) > 60 + found[0].end):
        return None
    return found[0]


def _scale(kind: str, labels: str, cell: Cell) -> Scale:
    own = scale_of(f"{labels} ({cell.column})")
    if kind == "money":
        if own != Scale() or re.search(r"\bper share\b", labels, re.IGNORECASE):
            return own
        return cell.line.scale or Scale()
    # People are not counted in the thousands of euros that a table is in.
    given = own if own != Scale() else cell.line.scale or Scale()
    return Scale() if given.currency else given
