"""Answers from table rows: how many rows match a question, and which ones."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.contexts import names_of
from multihop.answering.kinds import EVERYBODY, NAME, Expected
from multihop.answering.spans import AnswerSources
from multihop.answering.tables import (
    ENTRIES,
    EXCLUDES,
    SURE,
    UNKNOWN,
    Row,
    columns_of,
    matching_rows,
    quote_row,
    tables_of,
    unknown_words,
)
from multihop.answering.values import days_in
from multihop.types import AnswerSentence

_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_TIMES = frozenset(text.stems(["times"]))
_DIFFERENT = re.compile(r"\b(?:different|distinct)\b", re.IGNORECASE)
_LONGEST_LIST = 12
"""Maximum number of values in a list."""


def answer_by_rows(
    asked: str, wanted: Expected, sources: AnswerSources, read: Sequence[Candidate]
) -> ExtractiveAnswer | None:
    """Count or list the matching rows of the first table that fits; None without one, or if the reader is surer."""
    noun = set(text.stems([NAME if wanted.kind == "person" and wanted.noun in EVERYBODY else wanted.noun]))
    shown = {reading.passage.id for reading in sources.readings}
    asked = _HOW_MANY.sub(" ", asked)
    if wanted.counted and EXCLUDES.search(asked):
        return None
    tables = list(tables_of(sources))
    for table in tables:
        if len(unknown_words(asked, table)) >= UNKNOWN:
            continue
        rows = matching_rows(asked, table, noun if wanted.counted else frozenset())
        _, column = columns_of(table, noun)
        # Only rows of the evidence can be quoted.
        quoted = [row for row in rows if row.passage.id in shown]
        if not quoted:
            continue
        if wanted.counted:
            if noun == _TIMES and any(matching_rows(asked, other) for other in tables if _is_alike(other, table)):
                return None
            if count := _count(asked, noun, table, rows):
                return _rows_answer(str(count), [quote_row(row, None) for row in quoted], read)
        elif column is not None:
            values = list(dict.fromkeys(row.cells[column].value for row in rows))
            if all(values) and 1 < len(values) <= _LONGEST_LIST:
                return _rows_answer(", ".join(values), [quote_row(row, row.cells[column]) for row in quoted], read)
    return None


def _count(asked: str, noun: Set[str], table: Sequence[Row], rows: Sequence[Row]) -> int:
    """Count the things or events that the matching rows of a table are; 0 if that is unclear."""
    if noun == _TIMES:
        return len(rows) if _is_log(table, names_of(asked)) and unknown_words(asked, table) <= noun else 0
    columns, column = columns_of(table, noun)
    # A single row may be one of many elsewhere, unless it is of the kind that is counted.
    if _are_all(noun, rows) or noun <= ENTRIES:
        return len(rows) if _are_all(noun, rows) or len(rows) > 1 else 0
    if column is None:
        return 0
    values = {row.cells[column].value.lower() for row in rows}
    if noun <= columns[column] and len(values) < len(rows):
        return len(values) if _DIFFERENT.search(asked) else 0
    return len(rows) if len(rows) > 1 or (columns[0] == noun and not unknown_words(asked, table)) else 0


def _is_alike(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Return whether two tables have the same columns: logs of different periods."""
    return one is not other and [c.column for c in one[0].cells] == [c.column for c in other[0].cells]


def _are_all(kind: Set[str], rows: Sequence[Row]) -> bool:
    """Return whether a column has this noun in all rows: alone in a single row, as any may mention it."""
    cells = zip(*([set(text.stems(text.words(cell.value))) for cell in row.cells] for row in rows), strict=True)
    return any(all(kind <= value for value in column) and (len(rows) > 1 or kind == column[0]) for column in cells)


def _is_log(table: Sequence[Row], names: Sequence[str]) -> bool:
    """Return whether the rows of a table are events: each has one day, and a column repeats values, one of them named.

    Of a planned and an actual date, a question may mean either.
    """
    columns = [[cell.value.lower() for cell in column] for column in zip(*(row.cells for row in table), strict=True)]
    recurs = any(
        len(set(values)) < len(values) and any(text.find_name(value, name) >= 0 for name in names for value in values)
        for values in columns
    )
    return recurs and all(row.days for row in table) and sum(any(map(days_in, values)) for values in columns) == 1


def _rows_answer(said: str, rows: list[AnswerSentence], read: Sequence[Candidate]) -> ExtractiveAnswer | None:
    """Return the answer of the rows, with the reader's confidence if it agrees; None if the reader is surer."""
    best = read[0] if read and read[0].agrees else None
    # A number in one of the rows does not count them.
    if best and said.isdigit() and best.unit in [row.quote for row in rows]:
        best = None
    if best and text.contains(text.words(said), text.words(best.text)):
        sure = max(SURE, best.confidence)
    elif best and best.confidence > SURE:
        return None
    else:
        sure = SURE
    return ExtractiveAnswer(said, round(sure, 4), tuple(replace(row, confidence=round(sure, 4)) for row in rows))
