"""Answers from the values of table rows: which has the most or least of something, and which of two has more rows."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.confidence import THRESHOLD
from multihop.answering.contexts import names_of
from multihop.answering.kinds import Expected
from multihop.answering.measures import is_of_money
from multihop.answering.spans import AnswerSources
from multihop.answering.tables import (
    EXCLUDES,
    SURE,
    UNKNOWN,
    Row,
    about,
    columns_of,
    is_of,
    matching_rows,
    quote_row,
    split_days,
    tables_of,
    unknown_words,
)
from multihop.answering.values import Value, amount_of, days_in
from multihop.types import AnswerSentence

_MOST = re.compile(
    r"\b(?:(?P<more>most|largest|biggest|greatest|highest|longest|tallest|heaviest|deepest|widest|fastest|newest|"
    r"youngest|latest)|(?P<less>fewest|least|smallest|lowest|shortest|lightest|slowest|cheapest|oldest|earliest))\b"
    r"(?:\s+(?P<noun>[a-z]{3,})\b)?",
    re.IGNORECASE,
)
_MEASURES = {
    "long": "length", "short": "length", "tall": "height", "heav": "weight", "light": "weight", "deep": "depth",
    "wide": "width", "fast": "speed", "slow": "speed", "cheap": "price cost fee", "expensive": "price cost fee",
    "new": "built opened founded year purchased", "old": "built opened founded year purchased born",
    "young": "born built founded year", "recent": "date", "late": "date", "earl": "date", "larg": "size area",
    "bigg": "size area", "small": "size area",
}  # fmt: skip
"""Column names for an adjective."""
COUNTED = re.compile(r"\b(?:more|most|fewer|fewest|less|least)\s+(?!than\b)([a-z]{3,})", re.IGNORECASE)
_MONEY, _UNITS = frozenset(text.stems(["money"])), frozenset(text.stems("m mm cm km kg g t l in of the per no".split()))
_OFFERS = frozenset(text.stems("offer bid quote quotation tender".split()))
_OFFERED = frozenset(text.stems(["ask", "demand"]))
"""Columns of offers are of money, and whoever makes one asks for it."""
_EXTREME, _FEWEST = 0.6, 3
"""Confidence in the row with the most or least, and the minimum number of rows with a value."""


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
    measures = set(text.stems(adjective.split() if asks_for_it or following in ("", *_MEASURES) else [following]))
    # In "Which dredging company asked for the most money?" the column is the company.
    phrase = [following] if asks_for_it else [wanted.noun, *text.terms(asked[: superlative.start()])]
    rest = asked[: superlative.start()] + asked[superlative.end() :]
    shown = {reading.passage.id for reading in sources.readings}
    for table in tables_of(sources):
        columns, named = columns_of(table, set(text.stems(phrase[:1])))
        named = next((i for stem in text.stems(phrase) for i, name in enumerate(columns) if name == {stem}), named)
        measured = _measured(table, columns, measures, set(text.stems(text.words(asked))))
        # "What is the longest ship?" is answered by a column such as "max ship length" itself.
        if named is None or measured is None or (named == measured and not (asks_for_it and adjective)):
            continue
        # No column is called money, so the other words decide.
        offered = _OFFERED if columns[measured] & _OFFERS else frozenset[str]()
        if measures == _MONEY and not _is_about(rest, table, read, offered):
            continue
        where = _conditions(rest, table)
        rows = matching_rows(where, table) or (table if not names_of(where) and not days_in(where) else [])
        values = [(value, row) for row in rows if (value := _value(row.cells[measured].value)) is not None]
        ordered = sorted(values, key=lambda pair: pair[0], reverse=bool(superlative["more"]))
        if len(values) < max(_FEWEST, len(rows) - 1) or ordered[0][0] == ordered[1][0]:
            continue
        best = ordered[0][1]
        if best.passage.id in shown:
            said = best.cells[named].value
            sure = max([_EXTREME, *(c.confidence for c in read[:1] if c.text == said)])
            return ExtractiveAnswer(said, sure, (replace(quote_row(best, best.cells[named]), confidence=sure),))
    return None


def _conditions(asked: str, table: Sequence[Row]) -> str:
    """Return a question without what the whole table is about, unless cells say it of their rows only."""
    common = about(table).difference(
        *(text.stems(text.words(cell.value))[:1] for row in table for cell in row.cells if " " not in cell.value)
    )
    return " ".join(
        each for each in asked.split() if not (each.islower() and common.issuperset(text.stems(text.words(each))))
    )


def _is_about(asked: str, table: Sequence[Row], read: Sequence[Candidate], known: Set[str] = frozenset()) -> bool:
    """Return whether a table has all words of a question, or all but one and the reader takes its answer from it.

    `known` are words that it need not have.
    """
    unknown = len(unknown_words(asked, table) - known)
    chosen = any(c.unit.start == r.unit.start and c.passage.passage.id == r.passage.id for c in read[:1] for r in table)
    return not unknown or (unknown < UNKNOWN and chosen and read[0].confidence >= THRESHOLD)


def _measured(table: Sequence[Row], columns: Sequence[Set[str]], measures: Set[str], said: Set[str]) -> int | None:
    """Return the column of a measure that has most words of the question, and fewest others; None if two have."""
    if measures == _MONEY:
        found = [i for i, cell in enumerate(table[0].cells) if is_of_money(cell.column)]
        found = found or [i for i, name in enumerate(columns) if name & _OFFERS]
        return found[0] if len(found) == 1 else None
    fits = {
        i: (len(name & (measures | said)), -len(name - _UNITS)) for i, name in enumerate(columns) if name & measures
    }
    best = [i for i, fit in fits.items() if fit == max(fits.values())]
    return best[0] if len(best) == 1 else None


def most_rows(asked: str, options: Sequence[str], *, fewest: bool, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Choose the option that most or fewest rows have in a column that the question names; None if that is unclear.

    "Who piloted more ships, Ada or Bo?" counts the rows with "pilot: Ada" and "pilot: Bo".
    """
    counted = COUNTED.search(asked)
    if counted is None or text.singular(counted[1]) == counted[1] or EXCLUDES.search(asked):
        return None
    shown = {reading.passage.id for reading in sources.readings}
    rest, days = split_days(asked)
    said = set(text.terms(rest)) - set(text.stems(text.words(" ".join((*options, counted[1])))))
    for table in tables_of(sources):
        if any(not name.isdisjoint(text.stems([counted[1].lower()])) for name in _numeric(table)):
            continue
        rows = [row for row in table if is_of(row, days)]
        for column in (i for i, name in enumerate(columns_of(table, set())[0]) if name & said):
            found = [[row for row in rows if _names(row.cells[column].value, option)] for option in options]
            order = sorted(range(len(found)), key=lambda i: len(found[i]), reverse=not fewest)
            counts = [len(found[i]) for i in order]
            if min(counts) and max(counts) > 1 and counts[0] != counts[1]:
                quoted = [quote_row(row, None) for i in order for row in found[i] if row.passage.id in shown]
                return ExtractiveAnswer(options[order[0]], SURE, tuple(quoted)) if quoted else None
    return None


def _names(cell: str, option: str) -> bool:
    return text.contains(text.words(cell), text.words(option)) or text.contains(text.words(option), text.words(cell))


def _numeric(table: Sequence[Row]) -> list[set[str]]:
    """Return the stems of the names of columns with numbers."""
    columns, _ = columns_of(table, set())
    return [name for i, name in enumerate(columns) if any(row.cells[i].value.isdigit() for row in table)]


def compared_cells(
    asked: str, options: Sequence[str], word: str, sources: AnswerSources
) -> list[tuple[AnswerSentence, Value]] | None:
    """Find the row of each option in a table, and its value in the column that a comparison names; None without one.

    `word` says how they are compared: "older" may mean a column for when they were built.
    """
    adjective = next((names for stem, names in _MEASURES.items() if word.startswith(stem)), "")
    stems = [*text.terms(asked), *text.stems(adjective.split())]
    for table in tables_of(sources):
        columns, _ = columns_of(table, set())
        for named in range(len(columns)):
            rows = [[r for r in table if r.cells[named].value.lower() == option.lower()] for option in options]
            if any(len(found) != 1 for found in rows):
                continue
            fits = dict.fromkeys(i for stem in stems for i, name in enumerate(columns) if stem in name)
            # "more honey in 2024" compares the column "Honey 2024", not the one before it.
            for measured in sorted(fits, key=lambda i: -len(columns[i].intersection(stems))):
                values = [_value(row.cells[measured].value) for [row] in rows]
                if measured != named and None not in values:
                    said = [replace(quote_row(row, row.cells[measured]), confidence=_EXTREME) for [row] in rows]
                    return [(each, value) for each, value in zip(said, values, strict=True) if value is not None]
    return None


def _value(said: str) -> Value | None:
    return next(iter(days_in(said).values()), None) or amount_of(said)
