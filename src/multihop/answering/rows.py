"""Answers from table rows: how many rows match a question, which ones, and which has the most or least of something.

A row matches if it has every name, day and month of the question, every word of it that occurs in some rows only, and
does not say no in a column that the question names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.contexts import names_of
from multihop.answering.kinds import EVERYBODY, NAME, Expected
from multihop.answering.spans import AnswerSources
from multihop.answering.values import Value, amount_of, days_in
from multihop.parts.selectors.reading import Sentence, sentences_of
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Passage, Quote

_SURE = 0.45
"""Confidence in matching rows, set by hand: no dataset measures it."""
_PASSAGES, _LONGEST_LIST = 40, 12
"""Maximum number of passages of a document whose tables are read, and of values in a list."""


_MOST = re.compile(
    r"\b(?:(?P<more>most|largest|biggest|greatest|highest|longest|tallest|heaviest|deepest|widest|fastest|newest|"
    r"youngest|latest)|(?P<less>fewest|least|smallest|lowest|shortest|lightest|slowest|cheapest|oldest|earliest))\b"
    r"(?:\s+(?P<noun>[a-z]{3,})\b)?",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_MEASURES = {
    "long": "length", "short": "length", "tall": "height", "heav": "weight", "light": "weight", "deep": "depth",
    "wide": "width", "fast": "speed", "slow": "speed", "cheap": "price cost fee", "expensive": "price cost fee",
    "new": "built opened founded year purchased", "old": "built opened founded year purchased born",
    "young": "born built founded year", "recent": "date", "late": "date", "earl": "date", "larg": "size area",
    "bigg": "size area", "small": "size area",
}  # fmt: skip
"""Column names for an adjective."""
_ENTRIES = frozenset(text.stems("entry entries item items row rows line lines record records".split()))
_NO = frozenset(("", "no", "none", "false", "0", "-", "–", "—", "n/a"))
_EXCLUDES = re.compile(
    r"\b(?:no|not|never|without|except|neither|nor|other than)\b|n[’']t\b"
    r"|\b(?:before|after|since|until|till|between|by|from|than|least|over|under|above|below|up to|exactly|about)\s"
    r"[^,;?]{0,15}?\d",
    re.IGNORECASE,
)
"""Conditions that no words of a row can meet: what it is not, and bounds of days and numbers."""
_TIMES = frozenset(text.stems(["times"]))
_LABELS, _MONTH = frozenset(text.stems("name no number id title code".split())), 2
_DIFFERENT = re.compile(r"\b(?:different|distinct)\b", re.IGNORECASE)
_GENERIC = frozenset(
    text.stems(
        """list table sheet register file document come came belong exist contain include hold held have named called
        name number say said state give given accord currently already still now yet ever altogether total overall
        different thing which who what where when many much all every each any there""".split()
    )
)
"""Words of questions for rows that need not occur in the table."""
_UNKNOWN = 2
"""From so many other words that it lacks on, a table is about something else: no motion is "turned down" in it."""
_EXTREME, _FEWEST = 0.6, 3
"""Confidence in the row with the most or least, and the minimum number of rows with a value."""


class Cell(NamedTuple):
    """A cell of a row: its column, its value, and the offset of the value in the row."""

    column: str
    value: str
    start: int


class _Row(NamedTuple):
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


def answer_by_rows(
    asked: str, wanted: Expected, sources: AnswerSources, read: Sequence[Candidate]
) -> ExtractiveAnswer | None:
    """Count or list the matching rows of the first table that fits; None without one, or if the reader is surer."""
    noun = set(text.stems([NAME if wanted.kind == "person" and wanted.noun in EVERYBODY else wanted.noun]))
    shown = {reading.passage.id for reading in sources.readings}
    asked = _HOW_MANY.sub(" ", asked)
    if wanted.counted and _EXCLUDES.search(asked):
        return None
    for table in _tables(sources):
        if len(_unknown_words(asked, table)) >= _UNKNOWN:
            continue
        rows = _matching_rows(asked, table, noun if wanted.counted else frozenset())
        _, column = _columns(table, noun)
        # Only rows of the evidence can be quoted.
        quoted = [row for row in rows if row.passage.id in shown]
        if not quoted:
            continue
        if wanted.counted:
            if count := _count(asked, noun, table, rows):
                return _rows_answer(str(count), [_quote_row(row, None) for row in quoted], read)
        elif column is not None:
            values = list(dict.fromkeys(row.cells[column].value for row in rows))
            if all(values) and 1 < len(values) <= _LONGEST_LIST:
                return _rows_answer(", ".join(values), [_quote_row(row, row.cells[column]) for row in quoted], read)
    return None


def _count(asked: str, noun: Set[str], table: Sequence[_Row], rows: Sequence[_Row]) -> int:
    """Count the things or events that the matching rows of a table are; 0 if that is unclear."""
    if noun == _TIMES:
        is_log = all(row.days for row in table) and _recurs(names_of(asked), table)
        return len(rows) if is_log and _unknown_words(asked, table) <= noun else 0
    columns, column = _columns(table, noun)
    # A single row may be one of many elsewhere, unless it is of the kind that is counted.
    if _are_all(noun, rows) or noun <= _ENTRIES:
        return len(rows) if _are_all(noun, rows) or len(rows) > 1 else 0
    if column is None:
        return 0
    values = {row.cells[column].value.lower() for row in rows}
    if noun <= columns[column] and len(values) < len(rows):
        return len(values) if _DIFFERENT.search(asked) else 0
    return len(rows) if len(rows) > 1 or (columns[0] == noun and not _unknown_words(asked, table)) else 0


def _are_all(kind: Set[str], rows: Sequence[_Row]) -> bool:
    """Return whether a column has this noun in all rows: alone in a single row, as any may mention it."""
    cells = zip(*([set(text.stems(text.words(cell.value))) for cell in row.cells] for row in rows), strict=True)
    return any(all(kind <= value for value in column) and (len(rows) > 1 or kind == column[0]) for column in cells)


def _recurs(names: Sequence[str], table: Sequence[_Row]) -> bool:
    """Return whether a column has several rows with the same value, and one of the names."""
    columns = ([cell.value.lower() for cell in column] for column in zip(*(row.cells for row in table), strict=True))
    return any(
        len(set(values)) < len(values) and any(text.find_name(value, name) >= 0 for name in names for value in values)
        for values in columns
    )


def extreme_row(
    asked: str, wanted: Expected, sources: AnswerSources, read: Sequence[Candidate]
) -> ExtractiveAnswer | None:
    """Find the row with the most or least of what a question measures; None if no table has it."""
    superlative = _MOST.search(asked)
    if superlative is None or not wanted.noun:
        return None
    word, following = (superlative["more"] or superlative["less"]).lower(), (superlative["noun"] or "").lower()
    adjective = next((names for stem, names in _MEASURES.items() if word.startswith(stem) or following == stem), "")
    # "the longest ship" asks for a ship, "the ship with the most cabins" measures cabins.
    asks_for_it = wanted.noun == word
    noun = set(text.stems([following if asks_for_it else wanted.noun]))
    measures = text.stems(adjective.split() if asks_for_it or following in ("", *_MEASURES) else [following])
    rest = asked[: superlative.start()] + asked[superlative.end() :]
    shown = {reading.passage.id for reading in sources.readings}
    for table in _tables(sources):
        columns, named = _columns(table, noun)
        measured = next((i for each in measures for i, name in enumerate(columns) if each in name), None)
        if named is None or measured is None or named == measured:
            continue
        rows = _matching_rows(rest, table) or (table if not names_of(rest) and not days_in(rest) else [])
        values = [(value, row) for row in rows if (value := _value(row.cells[measured].value)) is not None]
        ordered = sorted(values, key=lambda pair: pair[0], reverse=bool(superlative["more"]))
        if len(values) < max(_FEWEST, len(rows) - 1) or ordered[0][0] == ordered[1][0]:
            continue
        best = ordered[0][1]
        if best.passage.id in shown:
            said = best.cells[named].value
            sure = max([_EXTREME, *(c.confidence for c in read[:1] if c.text == said)])
            return ExtractiveAnswer(said, sure, (replace(_quote_row(best, best.cells[named]), confidence=sure),))
    return None


def compared_cells(
    asked: str, options: Sequence[str], word: str, sources: AnswerSources
) -> list[tuple[AnswerSentence, Value]] | None:
    """Find the row of each option in a table, and its value in the column that a comparison names; None without one.

    `word` says how they are compared: "older" may mean a column for when they were built.
    """
    adjective = next((names for stem, names in _MEASURES.items() if word.startswith(stem)), "")
    stems = [*text.terms(asked), *text.stems(adjective.split())]
    for table in _tables(sources):
        columns, _ = _columns(table, set())
        for named in range(len(columns)):
            rows = [[r for r in table if r.cells[named].value.lower() == option.lower()] for option in options]
            if any(len(found) != 1 for found in rows):
                continue
            for measured in dict.fromkeys(i for stem in stems for i, name in enumerate(columns) if stem in name):
                values = [_value(row.cells[measured].value) for [row] in rows]
                if measured != named and None not in values:
                    said = [replace(_quote_row(row, row.cells[measured]), confidence=_EXTREME) for [row] in rows]
                    return [(each, value) for each, value in zip(said, values, strict=True) if value is not None]
    return None


def _columns(table: Sequence[_Row], noun: set[str]) -> tuple[list[set[str]], int | None]:
    """Return the stems of the column names, and the column of a noun: the first column if the table is about it."""
    columns = [set(text.stems(text.words(cell.column))) for cell in table[0].cells]
    exact = next((i for i, name in enumerate(columns) if noun in (name, name - _LABELS)), None)
    if exact is not None:
        return columns, exact
    # In a table of releases, they are not in the column "release manager".
    return columns, 0 if noun <= _about(table) else next((i for i, name in enumerate(columns) if noun <= name), None)


def _about(table: Sequence[_Row]) -> set[str]:
    return set(text.stems(text.words(f"{table[0].passage.title} {table[0].passage.heading}")))


def _tables(sources: AnswerSources) -> Iterator[list[_Row]]:
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
        tables: dict[tuple[str, ...], list[_Row]] = {}
        for id in ids:
            for unit in sentences_of(passages[id].text):
                if SEPARATOR in unit.text and (cells := cells_of(unit.text)):
                    values = " · ".join(cell.value for cell in cells)
                    stems = frozenset(text.stems(text.words(values)))
                    row = _Row(passages[id], unit, cells, stems, frozenset(days_in(values).values()))
                    tables.setdefault(tuple(cell.column for cell in cells), []).append(row)
        yield from _joined(tables)


def _joined(tables: Mapping[tuple[str, ...], list[_Row]]) -> Iterator[list[_Row]]:
    """Join the rows that leave cells out with those that have them, in the order of the document."""
    whole: dict[tuple[str, ...], list[_Row]] = {}
    for columns in sorted(tables, key=len, reverse=True):
        into = next((each for each in whole if _leaves_out(columns, each, whole[each], tables[columns])), None)
        whole.setdefault(into or columns, []).extend(tables[columns])
    for columns, rows in whole.items():
        padded = [row._replace(cells=_padded(row.cells, columns)) for row in rows]
        yield sorted(padded, key=lambda row: (row.passage.position, row.unit.start))


def _leaves_out(fewer: Sequence[str], columns: Sequence[str], rows: Sequence[_Row], others: Sequence[_Row]) -> bool:
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


def _unknown_words(asked: str, rows: Sequence[_Row]) -> set[str]:
    """Return the words of a question that a table has nowhere: its rows may be about something else."""
    known = _about(rows) | _GENERIC | _ENTRIES
    for row in rows:
        known |= row.values | set(text.stems(word for cell in row.cells for word in text.words(cell.column)))
    return set(text.terms(_split_days(asked)[0])) - known


def _matching_rows(asked: str, rows: Sequence[_Row], counted: Set[str] = frozenset()) -> list[_Row]:
    """Return the rows that match a question; none if it has no condition, or a name that the table lacks.

    `counted` are the stems of what is counted.
    """
    about = f"{rows[0].passage.title} {rows[0].passage.heading}".lower()
    asked, days = _split_days(asked)
    # A month means nothing to a table without days.
    days = [day for day in days if len(day) > _MONTH or any(row.days for row in rows)]
    names = names_of(asked)
    chosen = [row for row in rows if all(any(own[: len(day)] == day for own in row.days) for day in days)]
    conditions = len(days)
    said = set(text.terms(asked))
    for column, name in enumerate(_columns(rows, set())[0]):
        # "with a crane" excludes the rows with "crane: no"
        values = [row.cells[column].value.lower() for row in rows]
        if name <= said and not _NO.isdisjoint(values) and not name <= counted:
            chosen = [row for row in chosen if row.cells[column].value.lower() not in _NO]
            said -= name
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


def _split_days(asked: str) -> tuple[str, list[Value]]:
    """Return a question without its days and months, and these."""
    days = days_in(asked, months=True)
    for written in days:
        asked = asked.replace(written, " ")
    return asked, list(days.values())


def _value(said: str) -> Value | None:
    return next(iter(days_in(said).values()), None) or amount_of(said)


def _quote_row(row: _Row, cell: Cell | None) -> AnswerSentence:
    start = row.unit.start + (cell.start if cell else 0)
    answer = Quote(row.passage.id, cell.value, start, start + len(cell.value)) if cell else None
    return AnswerSentence.of(row.unit.quoted(row.passage.id), row.passage, _SURE, answer)


def _rows_answer(said: str, rows: list[AnswerSentence], read: Sequence[Candidate]) -> ExtractiveAnswer | None:
    """Return the answer of the rows, with the reader's confidence if it agrees; None if the reader is surer."""
    best = read[0] if read and read[0].agrees else None
    # A number in one of the rows does not count them.
    if best and said.isdigit() and best.unit in [row.quote for row in rows]:
        best = None
    if best and text.contains(text.words(said), text.words(best.text)):
        sure = max(_SURE, best.confidence)
    elif best and best.confidence > _SURE:
        return None
    else:
        sure = _SURE
    return ExtractiveAnswer(said, round(sure, 4), tuple(replace(row, confidence=round(sure, 4)) for row in rows))
