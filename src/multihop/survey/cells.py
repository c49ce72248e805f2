"""Looks up a heading such as "Revenue in 2023" in the cells of tables, forms and lists of facts.

A cell is identified by the words of its row and column. Some file formats provide column names; lines of a PDF take
theirs from the line of years above, and their unit from the caption.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from multihop import text
from multihop.survey.columns import Column, is_built_in
from multihop.survey.quantities import NAMES, Scale, Value, scale_of, values_in
from multihop.text.units import SEPARATOR, units
from multihop.types import Passage
from multihop.types.dates import MONTH

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
_PART = re.compile(
    r"\b(?:current|other|comprehensive|discontinued|per (?:\w+ )*shares?)\b"
    r"|\b(?:attributable|allocated) to (?:the )?(?:\w+ )?(?:non-?\s?controlling|minority)|\(%|%\)",
    re.IGNORECASE,
)
"""Rows for a part of the whole: "Total current assets", "Other income, net", "Net income per share"."""
_NO_COUNT = re.compile(r"\d,\d{3}|^(?:item|article|section|note|schedule|exhibit)?\s*\d+\.", re.IGNORECASE)
"""Rows without a count: numbered labels, and tables of contents."""
_AVERAGE = re.compile(r"\W*(?:basic |diluted )?(?:weighted|average|diluted|authorized)\b", re.IGNORECASE)
_WHOSE = re.compile(
    r",?\s+(?:attributable to|available to|(?:including|before) (?:non-?controlling|minority)|of the)\b.*", re.I
)
"""Qualifiers of a figure: "Net income attributable to the shareholders"."""
_NET = re.compile(r",\s*net\b.*", re.IGNORECASE)
"""A suffix on how a figure was calculated: "Income taxes, net" are not net income."""
_FIELD = re.compile(r"[-*•\s]*(?P<label>[^:.;!?\n|]{2,60}):\s+(?P<value>\S[^\n]{0,300})$")
_FIGURE = re.compile(
    r"(?<!\S)(?:(?:[€$£]\s?)?[-–−]?(?:\(\s?)?[€$£]?\s?\d(?:[\d.,]*\d)?(?:\s?\))?|(?:[€$£]\s?)?[-–—]|n/?a|\*+)(?:\s?%)?(?!\S)",
    re.IGNORECASE,
)
"""A numeric cell in a line, as printed: "$ 4,756", "($4,935)", "( 228 )", "(8) %", "—"."""
_DAY = re.compile(
    rf"(?<!\w)(?:(?:{MONTH})\.?\s+\d{{1,2}}\b,?|\d{{1,2}}\s+(?:{MONTH})\b|5[23][\s-]weeks?\b)", re.IGNORECASE
)
_CHANGE = "change"
_STATEMENT = re.compile(
    r"(?:(?:consolidated|combined|group|condensed)\s+)*(?:balance sheets?|income statements?|profit (?:and|&) loss"
    r"|statements? of (?:(?:consolidated|net)\s+)*(?:income|operations|earnings|profit|financial \w+))\b",
    re.IGNORECASE,
)
"""The title of a statement for the whole company."""
_PARENTHESES = re.compile(r"\([^()]*\)")
_PERIOD = re.compile(r"\b(?:day|month|year|week|hour)s?\b", re.IGNORECASE)
_PREFIX = 5
_NEAR = 0.8
_LONGEST_LABEL = 10
_LONGEST_HEADER = 6
_LONGEST_TITLE = 100
_MOST_STACKED = 6
_CAPTION = 160
_PART_TITLE = re.compile(r"\b(?:comprehensive|parent|segments?|notes to|index)\b|\.$", re.IGNORECASE)
_HEADS = re.compile(rf"{YEAR.pattern}|\b{_CHANGE}\b", re.IGNORECASE)
_HEADER_WORDS = frozenset(
    """year years fiscal financial quarter quarters month months three six nine twelve weeks period ended ending end as
    of at for the and to change in millions thousands billions dollars euros amounts note notes unaudited audited
    restated""".split()
)
_TOTAL = re.compile(r"\W*total\b", re.IGNORECASE)
_NOTE = re.compile(r"\(?\d{1,2}\)?")
_SIGN = re.compile(r"[€$£](?=\s?\(?\d)")
_COMPARED = 2
_SIMILAR = 0.62
"""Minimum fit of a matching row."""


class Line(NamedTuple):
    """A unit of a file: its position, and the headings and captions above it."""

    passage: Passage
    start: int
    end: int
    text: str
    stems: frozenset[str]
    scale: Scale | None = None
    """The unit of the figures; None outside tables."""
    years: tuple[str, ...] = ()
    statement: bool = False
    """Whether it is below the title of a balance sheet or an income statement."""

    def scale_for(self, kind: str) -> Scale | None:
        """Return the unit of plain figures in the line; None for money outside tables."""
        is_row = SEPARATOR in self.text or "|" in self.text or bool(_trailing_figures(self.text))
        if not is_row or self.scale is None:
            return None
        # People are not counted in the thousands of euros that a table is in.
        return self.scale if kind == "money" or not self.scale.currency else Scale()

    @property
    def page(self) -> int | None:
        return self.passage.page_at(self.start)


class Cell(NamedTuple):
    """A cell: the words of its row and its column, and the position of its value in the line."""

    line: Line
    row: str
    column: str
    start: int
    value: str
    pair: bool = False
    """Whether it is the only cell of its row, so that the column name means little."""
    unnamed: bool = False
    """Whether it is one of several cells without column names."""


class CellMatch(NamedTuple):
    """A cell, its value, and how well its words match the heading."""

    cell: Cell
    value: Value
    fit: float


@dataclass(frozen=True, slots=True)
class Topic:
    """The words of a heading: alternatives, each as stems, and its years."""

    names: tuple[frozenset[str], ...]
    years: frozenset[str]

    @classmethod
    def of(cls, column: Column) -> Topic:
        names = tuple(filter(None, (_content(each) for each in (column.label, *column.also))))
        return cls(names, frozenset(YEAR.findall(column.label)))

    def coverage(self, stems: frozenset[str]) -> float:
        """Return the share of the best alternative's words that occur here, ignoring words such as "name"."""
        telling = [name - _NEUTRAL for name in self.names]
        return max((sum(near(s, stems) for s in t) / len(t) if t else 1.0 for t in telling), default=0.0)

    def fit(self, stems: frozenset[str], beside: frozenset[str]) -> float:
        """Score how well row and column match the heading: no word missing, and no other word added."""
        best = 0.0
        for name in self.names:
            if not any(near(s, stems) for s in name - _NEUTRAL or name):
                continue
            own = sum(near(s, stems) for s in name)
            around = sum(0.6 * near(s, beside) for s in name if not near(s, stems))
            covered = (own + around) / len(name)
            others = sum(1 for s in stems if s not in _NEUTRAL and not near(s, name))
            # "Years ended" above a column makes "Payroll and employee benefits" no number of employees at year end.
            telling = sum(near(s, stems) for s in name - _NEUTRAL or name)
            precise = telling / (telling + 0.8 * others) if telling else 0.0
            best = max(best, covered**2 * precise)
        return best


def near(stem: str, others: Iterable[str]) -> float:
    """Return whether a stem is among others, also by a common prefix: "audit" and "auditor"."""
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
    """Split passages into lines, each with the unit and the years of its table."""
    lines: list[Line] = []
    seen: set[tuple[str, str, int | None]] = set()
    above = _Above()
    for passage in passages:
        above.enter(passage)
        for start, end, kind in _pieces(passage.text):
            said = passage.text[start:end]
            is_row = kind in ("row", "field") or bool(_trailing_figures(said))
            page = passage.page_at(start)
            above.read(said, kind, page, is_row=is_row)
            # Passages may overlap; a sentence counts once per page.
            key = (passage.document_id, said, page)
            if key not in seen or is_row:
                seen.add(key)
                stems = frozenset(text.stems(text.words(said)))
                # The name of the first column is often the unit.
                named = scale_of(f"({said.partition(': ')[0]})") if SEPARATOR in said else Scale()
                scale = (named if named != Scale() else above.scale) if is_row else None
                if scale and not scale.currency:
                    scale = scale._replace(currency=above.scale.currency)
                lines.append(Line(passage, start, end, said, stems, scale, above.years, above.statement))
    return list(_with_usual_scale(lines))


def _with_usual_scale(lines: Sequence[Line]) -> Iterator[Line]:
    """Apply the scale of the document's statements, if they have one, to tables without a caption."""
    stated: dict[str, set[Scale]] = {}
    for line in lines:
        if line.statement and line.scale and line.scale.factor != 1.0 and line.scale.currency:
            stated.setdefault(line.passage.document_id, set()).add(line.scale)
    for line in lines:
        usual, scale = stated.get(line.passage.document_id, set()), line.scale
        dated = line.years or (SEPARATOR in line.text and YEAR.search(line.text))
        if scale is not None and scale.factor == 1.0 and dated and len(usual) == 1:
            yield line._replace(scale=max(usual))
        else:
            yield line


@dataclass(slots=True)
class _Above:
    """The state above a line of a table: unit, years of the columns, and whether it is a statement."""

    heading: tuple[str, str] = ("", "")
    scale: Scale = Scale()
    years: tuple[str, ...] = ()
    statement: bool = False
    page: int | None = None
    in_header: bool = False

    def enter(self, passage: Passage) -> None:
        if (passage.document_id, passage.heading) != self.heading:
            self.heading = (passage.document_id, passage.heading)
            self.scale = scale_of(f"({passage.heading})") if passage.heading else Scale()
            self.years, self.statement = (), bool(_STATEMENT.match(passage.heading.rpartition(" > ")[2]))

    def read(self, said: str, kind: str, page: int | None, *, is_row: bool) -> None:
        """Update the state with a line."""
        if page != self.page:
            self.page, self.statement = page, False
        header = _years_of(said)
        # A caption may end a longer sentence: "… were as follows (in millions):".
        caption = said if len(said) < _CAPTION else said[-_CAPTION:] if said.endswith(":") else ""
        own = scale_of(caption)
        if own != Scale() and (header or not is_row):
            # The currency of an amount in a sentence is not the scale of the table.
            self.scale = own if own.factor != 1.0 or not self.statement else self.scale
        if header:
            # The years of the columns may be on separate lines, each below its day.
            stacked = self.in_header and len(header) == 1 and len(self.years) < _MOST_STACKED
            self.years = (*self.years, *header) if stacked else header
            self.in_header = True
        elif kind == "sentence" and len(said.split()) > _LONGEST_HEADER and not self.statement:
            self.scale, self.years = own, ()
        elif not is_row and any(map(_is_title, said.split("\n"))):
            self.statement = True
        if not header and not _DAY.fullmatch(said):
            self.in_header = False
        if is_row and not self.scale.currency and (sign := _SIGN.search(said)):
            self.scale = self.scale._replace(currency=scale_of(f"({sign[0]})").currency)


def _is_title(line: str) -> bool:
    title = _STATEMENT.search(line)
    return bool(title) and len(line) < _LONGEST_TITLE and not _PART_TITLE.search(line)


def _pieces(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield units; prose whose lines end in figures is a table, and is split into lines."""
    for unit in units(source):
        said = unit.of(source)
        lines = said.split("\n")
        if unit.kind != "row" and len(lines) > 1 and any(_trailing_figures(line) or _years_of(line) for line in lines):
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
    """Parse a header of years: "EUR million 2023 2022", "December 31, 2023 Change"."""
    said = _PARENTHESES.sub(" ", said)
    if not YEAR.search(said):
        return ()
    rest = YEAR.sub(" ", _DAY.sub(" ", said))
    if len(rest.split()) > _LONGEST_HEADER or re.search(r"\d|[.;]", rest) or ":" in said:
        return ()
    # Other words before a day are a label: "Date of birth September 2, 1975".
    if _DAY.search(said) and not _HEADER_WORDS.issuperset(text.words(rest)):
        return ()
    return tuple(_CHANGE if word[0].isalpha() else word for word in _HEADS.findall(said))


def _trailing_figures(said: str) -> list[tuple[int, str]]:
    """Find the figures at the end of a line after a short label; none outside tables."""
    figures: list[tuple[int, str]] = []
    end = len(said.rstrip())
    for match in reversed(list(_FIGURE.finditer(said))):
        if said[match.end() : end].strip():
            break
        figures.insert(0, (match.start(), match[0]))
        end = match.start()
    label = said[:end]
    if not figures or not re.search(r"[A-Za-z]{2}", label) or len(label.split()) > _LONGEST_LABEL or ". " in label:
        return []
    return figures


def cells_of(line: Line) -> Iterator[Cell]:
    """Split a line into cells."""
    said = line.text
    if _years_of(said):
        return
    if SEPARATOR in said:
        yield from _named_cells(line)
    elif "|" in said:
        parts = [(m.start(), m[0]) for m in re.finditer(r"[^|]+", said)]
        cells = [(at + len(part) - len(part.lstrip()), part.strip()) for at, part in parts if part.strip()]
        if len(cells) > 1:
            yield from _column_cells(line, cells[0][1], cells[1:])
    elif field := _FIELD.match(said):
        yield Cell(line, field["label"].strip("*_ "), "", field.start("value"), field["value"].rstrip())
    elif figures := _trailing_figures(said):
        yield from _column_cells(line, said[: figures[0][0]].strip(), figures)


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
            yield Cell(line, row, name, at + shift, value, pair=len(parts) == 2, unnamed=not name and len(parts) > 2)
        at += len(part) + len(SEPARATOR)


def form_heads(lines: Iterable[Line]) -> Iterator[Cell]:
    """Yield the first pair of each form, which Markdown tables have in place of the header."""
    forms: dict[tuple[str, str, str], list[tuple[Line, str]]] = {}
    for line in lines:
        cells = [part.partition(": ") for part in line.text.split(SEPARATOR)]
        if len(cells) == 2 and all(colon for _, colon, _ in cells):
            (label, _, first), (value, _, _) = cells
            forms.setdefault((line.passage.document_id, label, value), []).append((line, first))
    for (_, label, value), rows in forms.items():
        # The first pair of a form is followed by other labels, the header of a table by its entries.
        if not is_built_in(value) and 2 * sum(is_built_in(first) for _, first in rows) >= len(rows):
            line = rows[0][0]
            yield Cell(line, label, "", line.text.index(f"{SEPARATOR}{value}: ") + len(SEPARATOR), value)


def _column_cells(line: Line, row: str, cells: Sequence[tuple[int, str]]) -> Iterator[Cell]:
    """Assign the years above to the cells; yields none if years and cells do not match one to one."""
    years = [name for name in line.years if name != _CHANGE]
    amounts = [cell for cell in cells if not cell[1].endswith("%")]
    # The columns of years are on the right; a column of notes may precede them.
    if len(amounts) == len(years) + 1 and _NOTE.fullmatch(amounts[0][1]):
        amounts = amounts[1:]
    if len(set(years)) < len(years):
        return  # two tables side by side
    if not years:
        named = [("", cell) for cell in cells]
    elif len(cells) == len(line.years):
        named = list(zip(line.years, cells, strict=True))
    elif len(amounts) == len(years):
        named = list(zip(years, amounts, strict=True))
    else:
        return
    for year, (at, value) in named:
        yield Cell(line, row, year, at, value, unnamed=not year and len(cells) > 1)


def look_up(column: Column, topic: Topic, lines: Sequence[Line]) -> list[CellMatch]:
    """Find the cells that match a column, best first."""
    asked = (line for line in lines if topic.coverage(line.stems | _content(line.passage.heading)) >= 0.5)
    matches = [
        CellMatch(cell, value, fit)
        for cell in (*form_heads(lines), *(cell for line in asked for cell in cells_of(line)))
        if (fit := _fit(column, topic, cell)) >= _SIMILAR and (value := _value(column, cell))
    ]
    # In a column of many rows, such as a list of people, the right row is unknown.
    heads = Counter((m.cell.line.passage.document_id, m.cell.column) for m in matches if not m.cell.row)
    matches = [m for m in matches if m.cell.row or heads[m.cell.line.passage.document_id, m.cell.column] == 1]
    # Without a year, the newest one is meant. Ties go to a statement of the whole, then to the most frequent value,
    # since parts such as segments have the same names.
    said = Counter(m.value.number for m in matches)
    return sorted(
        matches,
        key=lambda m: (
            -round(m.fit, 2), -max(map(int, _years(m.cell)), default=0), not m.cell.line.statement,
            -_count_years(m.cell.line), not _TOTAL.match(m.cell.row), not (m.cell.line.scale or Scale()).currency,
            -said[m.value.number],
        ),
    )  # fmt: skip


def _count_years(line: Line) -> int:
    """Count the years of a row, up to two: statements of the whole compare years, those of a part often do not."""
    years = line.years or (YEAR.findall(line.text) if SEPARATOR in line.text else ())
    return min(len(set(years)), _COMPARED)


def is_average(column: Column, row: str) -> bool:
    """Return whether a row has an average although a count is asked for."""
    return bool(_AVERAGE.match(row)) and not any(map(_AVERAGE.match, (column.label, *column.also)))


def _years(cell: Cell) -> list[str]:
    return YEAR.findall(f"{cell.column} {cell.row}")


def _fit(column: Column, topic: Topic, cell: Cell) -> float:
    if _NOT_A_VALUE.search(cell.column) and not _NOT_A_VALUE.search(column.label):
        return 0.0
    if column.kind == "money" and _PART.search(cell.row) and not _PART.search(column.label):
        return 0.0
    if column.kind == "number" and (_NO_COUNT.search(cell.row) or is_average(column, cell.row)):
        return 0.0
    if column.kind == "yes/no" and re.match(r"(?:yes|no)\b", cell.value.strip(), re.IGNORECASE):
        # "Pets: yes" answers whether pets are allowed.
        asked = _content(f"{cell.row} {'' if cell.pair else cell.column}")
        return 0.9 if asked and any(asked <= name for name in topic.names) else 0.0
    row = _WHOSE.sub(" ", _NET.sub("", cell.row)) if column.kind == "money" else cell.row
    own = _content(_PARENTHESES.sub(" ", f"{row} {'' if cell.pair else cell.column}"))
    fit = topic.fit(own, _content(cell.line.passage.heading) | _content(" ".join(_PARENTHESES.findall(cell.row))))
    years = set(_years(cell)) or set(YEAR.findall(cell.line.passage.heading))
    if topic.years and years:
        return fit if topic.years & years else 0.0
    # With several figures, the one of the year is unknown.
    return fit * (0.0 if cell.unnamed else 0.9) if topic.years else fit


def is_day(said: str) -> bool:
    """Return whether a text is a date, which is no name: "Published: 4 July 2018" names no journal."""
    return any(len(said) == day.end - day.start for day in values_in("date", said))


def _value(column: Column, cell: Cell) -> Value | None:
    said, kind = cell.value.strip(), column.kind
    if not said or said in "-–—" or said.lower() in ("n/a", "na", "none", "nil"):
        return None
    if kind in (*NAMES, "text", "list", "yes/no"):
        # In a form, a figure may be text, such as a version; in other tables it is a number.
        labeled = kind == "text" and (cell.pair or not cell.column)
        if not (labeled or any(letter.isalpha() for letter in said)) or len(said) > 200:
            return None
        if kind == "yes/no":
            first = re.match(r"(yes|no)\b", said, re.IGNORECASE)
            return Value(0, len(said), first[1].lower()) if first else None
        # Behind the first sentence another thing is told: "Deposit: two months' rent. Pets are allowed."
        plain = " ".join(re.split(r"(?<=[a-z]{4})\.(?:\s+(?=[A-Z])|$)", said, maxsplit=1)[0].split()).rstrip(" ;")
        if kind in NAMES and is_day(plain):
            return None
        # "University of Bergen, master of science": the comma ends the name.
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
        # The figures at the end of a line may be part of a date.
        days = values_in(kind, cell.line.text)
        return next((day for day in days if day.start <= cell.start + len(said) - 1 < day.end), None)
    values = values_in(kind, said, _scale(kind, labels, cell))
    # A sentence is not a cell, so the value must be most of it.
    if not values or (kind in ("money", "number", "percent") and len(said) > 60 + values[0].end):
        return None
    return values[0]


def _scale(kind: str, labels: str, cell: Cell) -> Scale:
    own = scale_of(f"{labels} ({cell.column})")
    if kind == "money":
        if own != Scale() or re.search(r"\bper share\b", labels, re.IGNORECASE):
            return own
        return cell.line.scale or Scale()
    # People are not counted in the thousands of euros that a table is in.
    given = own if own != Scale() else cell.line.scale or Scale()
    return Scale() if given.currency else given
