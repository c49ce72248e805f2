"""Tables of the evidence: their rows, their columns, and the rows that match a question.

A row matches if it has every name, day and month of the question, every word of it that occurs in some rows only, and
does not say no in a column that the question names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from multihop import text
from multihop.answering.contexts import names_of
from multihop.answering.spans import AnswerSources
from multihop.answering.values import Value, days_in
from multihop.parts.selectors.reading import Sentence, sentences_of
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Passage, Quote

SURE = 0.45
"""Confidence in matching rows, set by hand: no dataset measures it."""
_PASSAGES = 40
"""Maximum number of passages of a document whose tables are read."""
ENTRIES = frozenset(text.stems("entry entries item items row rows line lines record records".split()))
_NO = frozenset(("", "no", "none", "false", "0", "-", "–", "—", "n/a"))
EXCLUDES = re.compile(
    r"\b(?:no|not|never|without|except|neither|nor|other than)\b|n[’']t\b"
    r"|\b(?:before|after|since|until|till|between|by|from|than|least|over|under|above|below|up to|exactly|about)\s"
    r"[^,;?]{0,15}?\d",
    re.IGNORECASE,
)
"""Conditions that no words of a row can meet: what it is not, and bounds of days and numbers."""
_LABELS, _MONTH = frozenset(text.stems("name no number id title code".split())), 2
_GENERIC = frozenset(
    text.stems(
        """list table sheet register file document come came belong exist contain include hold held have named called
        name number say said state give given accord currently already still now yet ever altogether total overall
        different thing which who what where when many much all every each any there get got take took make made
        bring""".split()
    )
)
"""Words of questions for rows that need not occur in the table."""
UNKNOWN = 2
"""From so many other words that it lacks on, a table is about something else: no motion is "turned down" in it."""


class Cell(NamedTuple):
    """A cell of a row: its column, its value, and the offset of the value in the row."""

    column: str
    value: str
    start: int


class Row(NamedTuple):
    """A row of a table: its passage, its unit, and its cells."""

    passage: Passage
    unit: Sentence
    cells: tuple[Cell, ...]
    values: frozenset[str]
    """The stems of all values."""
    days: frozenset[Value]


def cells_of(row: str) -> tuple[Cell, ...]:
    """Split a row into cells; text without a column name belongs to the cell before it."""
    cells: list[Cell] = []
    at = 0
    for part in row.split(SEPARATOR):
        column, colon, value = part.partition(": ")
        if colon:
            cells.append(Cell(column, value, at + len(column) + len(colon)))
        elif cells:
            last = cells[-1]
            cells[-1] = last._replace(value=row[last.start : at + len(part)])
        at += len(part) + len(SEPARATOR)
    return tuple(cells)


def columns_of(table: Sequence[Row], noun: Set[str]) -> tuple[list[set[str]], int | None]:
    """Return the stems of the column names, and the column of a noun: the first column if the table is about it."""
    columns = [set(text.stems(text.words(cell.column))) for cell in table[0].cells]
    exact = next((i for i, name in enumerate(columns) if noun in (name, name - _LABELS)), None)
    if exact is not None:
        return columns, exact
    if noun <= about(table):
        # In a table of releases, they are not in the column "release manager", nor in one that numbers them.
        return columns, next((i for i, cell in enumerate(table[0].cells) if not cell.value.isdigit()), 0)
    return columns, next((i for i, name in enumerate(columns) if noun <= name), None)


def about(table: Sequence[Row]) -> set[str]:
    return set(text.stems(text.words(f"{table[0].passage.title} {table[0].passage.heading}")))


def tables_of(sources: AnswerSources) -> Iterator[list[Row]]:
    """Yield the tables, as rows with the same columns, of every document with rows in the evidence."""
    documents = dict.fromkeys(
        r.passage.document_id for r in sources.readings if any(SEPARATOR in unit.text for unit in r.sentences)
    )
    stored = sources.index.passages
    for document in documents:
        ids = stored.passages_of([document], _PASSAGES + 1).get(document, [])
        if len(ids) > _PASSAGES:
            continue
        passages = stored.passages(ids)
        tables: dict[tuple[str, ...], list[Row]] = {}
        for id in ids:
            for unit in sentences_of(passages[id].text):
                if SEPARATOR in unit.text and (cells := cells_of(unit.text)):
                    values = " · ".join(cell.value for cell in cells)
                    stems = frozenset(text.stems(text.words(values)))
                    row = Row(passages[id], unit, cells, stems, frozenset(days_in(values).values()))
                    tables.setdefault(tuple(cell.column for cell in cells), []).append(row)
        yield from _joined(tables)


def _joined(tables: Mapping[tuple[str, ...], list[Row]]) -> Iterator[list[Row]]:
    """Join the rows that leave cells out with those that have them, in the order of the document."""
    whole: dict[tuple[str, ...], list[Row]] = {}
    for columns in sorted(tables, key=len, reverse=True):
        into = next((each for each in whole if _leaves_out(columns, each, whole[each], tables[columns])), None)
        whole.setdefault(into or columns, []).extend(tables[columns])
    for columns, rows in whole.items():
        padded = [row._replace(cells=_padded(row.cells, columns)) for row in rows]
        yield sorted(padded, key=lambda row: (row.passage.position, row.unit.start))


def _leaves_out(fewer: Sequence[str], columns: Sequence[str], rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Return whether rows are those of a table without some of its cells: under the same heading, in the same order."""
    left = iter(columns)
    same = rows[0].passage.heading == others[0].passage.heading and fewer[0] == columns[0]
    return same and 2 * len(fewer) >= len(columns) and all(name in left for name in fewer)


def _padded(cells: Sequence[Cell], columns: Sequence[str]) -> tuple[Cell, ...]:
    left = iter(cells)
    cell = next(left, None)
    padded = []
    for column in columns:
        if cell is not None and cell.column == column:
            padded.append(cell)
            cell = next(left, None)
        else:
            padded.append(Cell(column, "", 0))
    return tuple(padded)


def unknown_words(asked: str, rows: Sequence[Row]) -> set[str]:
    """Return the words of a question that a table has nowhere: its rows may be about something else."""
    known = about(rows) | _GENERIC | ENTRIES
    for row in rows:
        known |= row.values | set(text.stems(word for cell in row.cells for word in text.words(cell.column)))
    return set(text.terms(split_days(asked)[0])) - known


def matching_rows(asked: str, rows: Sequence[Row], counted: Set[str] = frozenset()) -> list[Row]:
    """Return the rows that match a question; none if it has no condition, or a name that the table lacks.

    `counted` are the stems of what is counted.
    """
    about = f"{rows[0].passage.title} {rows[0].passage.heading}".lower()
    asked, days = split_days(asked)
    # A month means nothing to a table without days.
    days = [day for day in days if len(day) > _MONTH or any(row.days for row in rows)]
    names = names_of(asked)
    chosen = [row for row in rows if is_of(row, days)]
    conditions = len(days)
    said = set(text.terms(asked))
    for column in _columns_with_no(rows, said - counted):
        chosen = [row for row in chosen if row.cells[column].value.lower() not in _NO]
        said.difference_update(text.stems(text.words(rows[0].cells[column].column)))
        conditions += 1
    for name in names:
        # "How many Optimists are there?" counts rows with "Type: Optimist".
        stems = set(text.stems(text.words(name)))
        having = [row for row in rows if text.find_name(row.unit.lower, name) >= 0 or stems <= row.values]
        if having:
            chosen = [row for row in chosen if row in having]
            conditions += 1
        elif text.find_name(about, name) < 0:
            return []
    in_names = set(text.stems(text.words(" ".join(names))))
    for stem in sorted(said - in_names, key=lambda stem: (stem not in counted, stem)):
        having = [row for row in rows if stem in row.values]
        if 0 < len(having) < len(rows):
            both = [row for row in chosen if row in having]
            # Another word may only say where: "How many nurses are there on the ward?".
            if both or not counted or not all(counted <= row.values for row in chosen):
                chosen = both
            conditions += 1
    return chosen if conditions else []


def _columns_with_no(rows: Sequence[Row], said: Set[str]) -> list[int]:
    """Return the columns that a question names and that say no in some rows: "with a crane" and "crane: no"."""
    columns, _ = columns_of(rows, set())
    return [i for i, name in enumerate(columns) if name <= said and any(r.cells[i].value.lower() in _NO for r in rows)]


def is_of(row: Row, days: Sequence[Value]) -> bool:
    """Return whether a row has all of these days, or a day in each of these months."""
    return all(any(own[: len(day)] == day for own in row.days) for day in days)


def split_days(asked: str) -> tuple[str, list[Value]]:
    """Return a question without its days and months, and these."""
    days = days_in(asked, months=True)
    for written in days:
        asked = asked.replace(written, " ")
    return asked, list(days.values())


def quote_row(row: Row, cell: Cell | None) -> AnswerSentence:
    start = row.unit.start + (cell.start if cell else 0)
    answer = Quote(row.passage.id, cell.value, start, start + len(cell.value)) if cell else None
    return AnswerSentence.of(row.unit.quoted(row.passage.id), row.passage, SURE, answer)
