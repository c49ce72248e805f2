"""Rules that exclude answers, however sure the reader is: values of another kind, year, row or name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from multihop import text
from multihop.answering.candidates import YEAR, Candidate, column_of
from multihop.answering.contexts import heading, is_type, mentions, names_of, only_asks, unit_names
from multihop.answering.kinds import (
    NUMBER,
    PEOPLE,
    SURE_AMOUNTS,
    Expected,
    is_asked,
    spans,
    speaks_of_event,
    states_difference,
)
from multihop.answering.measures import dimensions_asked, fits, is_for_other_period
from multihop.answering.values import periods_in
from multihop.parts.selectors.reading import SHORTEST_NAME, QuestionWords, ReadPassage
from multihop.text.units import SEPARATOR
from multihop.types import Chain
from multihop.types.dates import MONTH

UNSAID = 0.2
"""Factor on the confidence in an answer that cannot be right: one of another kind, a date or place of birth or death
from a sentence about neither, words of the question itself, "any color", the title of a table, one from passages
without any name of the question, a row that no such name leads to, a value of a neighboring row, one part of a total, a
value for another period, year or quarter, and an answer about something else than the inner answer."""
_REPEATED = 0.6
"""From this share of words of the question on, an answer of several words repeats it."""
_STEPS = 2
"""Maximum number of sentences that lead from a name of the question to a row."""
_SURELY_ALL = 0.8
"""From this probability of the reader on, the only amount in a sentence is a total even if it does not say so."""
_DATED = re.compile(rf"\b\d{{1,2}} {MONTH}(?: \d{{4}})?\b")
_INDEFINITE = re.compile(r"(?:any(?:thing|body|one|where)?|whatever|whichever|some(?:thing|body|one|where))\b", re.I)
"""An answer that leaves open what is asked: "any color you like"."""
_LAST_SENTENCE = re.compile(r"[.!;] +(?=[A-Z])")
_OFTEN = re.compile(r"\b(?:how often|every|each|interval|frequen\w+)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"[$€£¥]|\b(?:[A-Z]{3}|(?i:euros?|dollars?|pounds?|crowns?|francs?|yen|prices?|costs?|fees?|fares?|rents?|amounts?|totals?|"
    r"sums?|values?|rates?|salar\w+|wages?|pay|paid|charges?|budget\w*|planned|actual|deposits?|tolls?|per \w+))\b"
)
_SURE_NOUNS = SURE_AMOUNTS | PEOPLE | {"", NUMBER}
_IN_ALL = re.compile(r"\b(?:in all|in total|altogether|total|combined|overall|sum)\b", re.IGNORECASE)
_OF_IT = re.compile(r"\d\W+of (?:them|these|those|which|whom|it|this)\b")
_BEFORE = re.compile(
    r"\b(?:before|until|old|previous(?:ly)?|former(?:ly)?|was|were|used to|earlier|original(?:ly)?)\b", re.IGNORECASE
)
"""In a question or the name of a column: it is about the past."""


def cannot_answer(
    candidate: Candidate, question: QuestionWords, wanted: Expected, chain: Chain, passages: Sequence[ReadPassage]
) -> bool:
    """Return whether a rule excludes a candidate."""
    asked = question.text
    return (
        # A noun is a weaker sign of the expected kind than "when", "who" or "how many".
        (
            not candidate.agrees
            and (wanted.counted or not wanted.noun or wanted.noun in SURE_AMOUNTS | PEOPLE | {NUMBER})
        )
        or not fits(candidate.text, asked)
        or is_no_price(candidate, asked)
        or (is_repetition(candidate) and not _OFTEN.search(asked))
        or not shares_type(candidate, asked, chain, passages)
        or is_for_other_period(asked, candidate.unit.text, candidate.text)
        or only_asks(candidate.unit.text, asked)
        # The title of a table names its rows, not their values.
        or (candidate.answer is None and SEPARATOR in candidate.unit.text)
        or not speaks_of_event(asked, candidate.unit.text)
        or not states_difference(asked, candidate.unit.text, candidate.text)
        or repeats(candidate.text, asked, wanted)
        or _INDEFINITE.match(candidate.text) is not None
        or not is_named(question, passages)
        or not is_reachable(candidate, asked, passages)
        or is_of_neighbor(candidate, asked, passages)
        or (
            # Amounts change from year to year; people mostly do not.
            (any(letter.isdigit() for letter in candidate.text) or SEPARATOR in candidate.unit.text)
            and is_of_another_year(candidate, asked, passages_before(candidate, chain, passages).values())
        )
        or not is_of_quarter(candidate, asked)
        # A question for a total is not answered by one of its parts.
        or (bool(_IN_ALL.search(asked)) and is_part(candidate))
    )


def is_no_price(candidate: Candidate, asked: str) -> bool:
    """Return whether a question asks for money, and the column of a value has none: "for: 7 · against: 4"."""
    column = column_of(candidate)
    return bool(column) and dimensions_asked(asked) == ("money",) and not _MONEY.search(f"{column} {candidate.text}")


def is_repetition(candidate: Candidate) -> bool:
    """Return whether a number says how often something happens: "every two months"."""
    said = candidate.unit.text.partition(candidate.text)[0]
    return candidate.text[:1].islower() and said.endswith("every ")


def shares_type(candidate: Candidate, asked: str, chain: Chain, passages: Sequence[ReadPassage]) -> bool:
    """Return whether the passage of an answer, or one before it in the chain, has a model or version of the question.

    True if the question has none.
    """
    types = [name for name in names_of(asked) if is_type(name)]
    if not types:
        return True
    around = (candidate.passage, *passages_before(candidate, chain, passages).values())
    return any(mentions(f"{heading(p.passage)}{p.lower}".lower(), name) for p in around for name in types)


def is_part(candidate: Candidate) -> bool:
    """Return whether an amount may be a part: its sentence names no total, and has others or is not a sure answer."""
    said = candidate.unit.text
    # "140 litres escaped; the tray caught 85 of them"
    if _IN_ALL.search(said) or _OF_IT.search(said.partition(candidate.text)[2]):
        return False
    amounts = spans(_DATED.sub(" ", said), "number")
    return len(amounts) > 1 or candidate.probability < _SURELY_ALL


def repeats(said: str, asked: str, wanted: Expected) -> bool:
    """Return whether an answer repeats the question: "electric vans" for "Which electric vans …?"."""
    of_names = wanted.kind in ("person", "place", "name")
    # "Who was captain before Ada Holm?" is not answered by "Captain Holm".
    if wanted.kind == "person" and is_asked(said, asked):
        return True
    if wanted.options or not (said.islower() or of_names):
        return False
    # "The left wrist seal" is no glue for the wrist seals.
    parts = text.stems(word for word in text.words(said) if word not in text.STOPWORDS)
    known = set(text.stems(text.words(asked)))
    mostly = said.islower() and bool(parts) and sum(part in known for part in parts) >= _REPEATED * len(parts)
    return mostly or text.find_name(asked.lower(), said.lower()) >= 0


def passages_before(candidate: Candidate, chain: Chain, passages: Sequence[ReadPassage]) -> dict[str, ReadPassage]:
    """Return the passages before that of an answer in the chain, by id."""
    known = {p.passage.id: p for p in passages}
    sources, before = {link.target: link.source for link in reversed(chain.links)}, dict[str, ReadPassage]()
    id = sources.get(candidate.passage.passage.id)
    while id and id not in before and id in known:
        before[id] = known[id]
        id = sources.get(id)
    return before


def is_named(question: QuestionWords, passages: Iterable[ReadPassage]) -> bool:
    """Return whether any passage has a word of the question's names; True if it has none.

    The captain of another ship is not that of the Titanic.
    """
    names = question.mask(text.stems(text.words(" ".join(names_of(question.text)))))
    return not names or any(names & passage.mask for passage in passages)


def is_reachable(candidate: Candidate, asked: str, passages: Sequence[ReadPassage]) -> bool:
    """Return whether names lead from the question to the row of an answer; True for prose, and without names.

    Every row has a value in the same column, such as the contract of another supplier.
    """
    row, known = candidate.unit.text, set(names_of(asked))
    if SEPARATOR not in row or not known or not unit_names(row):
        return True
    units = [(reading.passage, unit) for reading in passages for unit in reading.sentences]
    said = [(f"{heading(passage)}{unit.text}".lower(), unit.text) for passage, unit in units]
    own = candidate.passage.passage
    # A document is about the names in its prose.
    prose = [unit.lower for p, unit in units if p.document_id == own.document_id and SEPARATOR not in unit.text]
    target = f"{heading(own)}{row} {' '.join(prose)}".lower()
    for _ in range(_STEPS):
        if any(mentions(target, name) for name in known):
            return True
        known |= {
            name
            for lower, unit in said
            if any(text.find_name(lower, name) >= 0 for name in known)
            for name in unit_names(unit)
        }
    return any(text.find_name(target, name) >= 0 for name in known)


def is_of_neighbor(candidate: Candidate, asked: str, passages: Sequence[ReadPassage]) -> bool:
    """Return whether an answer is about another entry of a column that lists a name of the question.

    If a table lists Oslo and Bergen, a passage about Bergen only does not give the price in Oslo.
    """
    names, own = names_of(asked), candidate.passage
    said = f"{heading(own.passage)}{own.lower}".lower()
    missing = [name for name in names if text.find_name(said, name) < 0]
    # The passage may be about another name of the question.
    if not missing or len(missing) < len(names):
        return False
    columns: dict[tuple[str, str], set[str]] = {}
    for reading in passages:
        for unit in reading.sentences:
            for cell in unit.text.split(SEPARATOR) if SEPARATOR in unit.text else ():
                column, _, value = cell.partition(": ")
                columns.setdefault((reading.passage.document_id, column), set()).add(value.lower())
    return any(
        text.find_name(said, other) >= 0
        for values in columns.values()
        if not values.isdisjoint(missing)
        for other in values - set(missing)
        if len(other) >= SHORTEST_NAME and not other[0].isdigit()
    )


def is_of_another_year(candidate: Candidate, asked: str, before: Iterable[ReadPassage]) -> bool:
    """Return whether an answer is about another year, and no passage before it mentions the year of the question.

    In a table, a year above the column is that of its values.
    """
    # "In October 2023 we bought a picture. Who paid for its frame?" may be answered by something later.
    years = set(YEAR.findall(_LAST_SENTENCE.split(asked)[-1]))
    above = set(YEAR.findall(column_of(candidate)))
    stated = above or set(YEAR.findall(f"{heading(candidate.passage.passage)}{candidate.unit.text}"))
    if not years or not stated or years & stated:
        return False
    if above:
        return True
    return not any(year in f"{heading(p.passage)}{p.text}" for p in (*before, candidate.passage) for year in years)


def is_of_another_column(candidate: Candidate, asked: str) -> bool:
    """Return whether the column of a value is for another year than the question's, or for the past ("until now").

    Columns for the past fit questions about the past.
    """
    column = column_of(candidate)
    years, above = set(YEAR.findall(asked)), set(YEAR.findall(column))
    if years and above and not years & above:
        return True
    return bool(_BEFORE.search(column)) and not _BEFORE.search(asked)


def is_dated(candidate: Candidate, asked: str) -> bool:
    """Return whether the unit of an answer, or its heading, mentions a year of the question."""
    said = f"{heading(candidate.passage.passage)}{candidate.unit.text}"
    return not set(YEAR.findall(asked)).isdisjoint(YEAR.findall(said))


def is_of_quarter(candidate: Candidate, asked: str) -> bool:
    """Return whether an answer is about the quarter or half-year of a question; True if it names none.

    Without a year, a quarter may be that of a game.
    """
    asked_for = periods_in(asked) if YEAR.search(asked) else set()
    return not asked_for or bool(asked_for & periods_in(f"{heading(candidate.passage.passage)}{candidate.unit.text}"))
