"""Candidates for an answer: the spans that a reader finds, located in their passages, with a confidence each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from multihop import text
from multihop.answering.confidence import confidence, log_odds
from multihop.answering.contexts import (
    ROOM,
    ReaderContext,
    contexts,
    heading,
    is_type,
    mentions,
    names_of,
    only_asks,
    types_of,
    unit_names,
)
from multihop.answering.kinds import (
    SURE_AMOUNTS,
    Expected,
    agrees,
    expected,
    is_asked,
    speaks_of_event,
    states_difference,
)
from multihop.answering.measures import fits
from multihop.answering.values import periods_in
from multihop.parts.selectors.reading import SHORTEST_NAME, QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Index, Reader, Verifier
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Chain, Quote, Reading, Span
from multihop.types.dates import DATE, MONTH

_DISAGREES, _ECHOES = 0.2, 0.05
"""Factors on the probability of a span of another kind, and of one that repeats a name of the question."""
_SEVERAL = 0.15
"""Minimum probability of further spans of a list, as a share of the first."""
_ALONE, _SHARE = 2, 0.4
"""Number of top passages that are also read separately, and the weight of these readings."""
_ANYWHERE = 0.05
"""Added to the probability that a passage is evidence, since retrieval may have ruled out the right one."""
_LEAST_STATED = -1.5
UNSAID = 0.2
"""Factor on the confidence in an answer that cannot be right: one of another kind, a date or place of birth or death
from a sentence about neither, words of the question itself, the title of a table, one from passages without any name of
the question, a row that no such name leads to, a value of a neighboring row, one part of a total, a value for another
year or quarter, and an answer about something else than the inner answer."""
_STEPS = 2
"""Maximum number of sentences that lead from a name of the question to a row."""
_CELL = 80
_INSIDE = "-:/.’'"
_ADDRESS = re.compile(r"\s*<\S+@\S*>?$")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_FULL_STOP = re.compile(r"(?<=\d)\.$")
_IN_ALL = re.compile(r"\b(?:in all|in total|altogether|total|combined|overall|sum)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"(?:[$£€]|\b(?:USD|EUR|GBP|NOK|SEK|DKK|CHF|CAD|AUD|JPY|INR|CNY)) ?$")
_SCALE = re.compile(r" ?(?:%|percent\b|per cent\b|hundred\b|thousand\b|million\b|billion\b|trillion\b)")
_DATE = re.compile(rf"\b(?:{DATE}|{MONTH},? \d{{4}})\b", re.IGNORECASE)
_LEGAL_FORM = re.compile(r" (?:ASA?|AB|AG|BV|Corp|GmbH|Inc|KG|LLC|Ltd|NV|Oy|PLC|plc|SA|SE|SpA)\b")
_OF = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)* (?:of|for)(?: the)? $")
_LIST = re.compile(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+|;\s+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for an answer: its text, the unit that contains it, and its scores."""

    text: str
    passage: ReadPassage
    unit: Quote
    answer: Quote | None
    """The answer in the passage; None if it is in the title."""
    probability: float
    agrees: bool = True
    confidence: float = 0.0

    def sentence(self, sure: float | None = None) -> AnswerSentence:
        """Return the unit as a sentence of the answer."""
        return AnswerSentence.of(
            self.unit, self.passage.passage, self.confidence if sure is None else sure, self.answer
        )


class ExtractiveAnswer(NamedTuple):
    """An answer taken from the evidence: its text, its probability of being right, and the sentences that give it.

    The best sentence comes first. The text is empty where these sentences decide nothing.
    """

    text: str
    confidence: float
    sentences: tuple[AnswerSentence, ...]


@dataclass(frozen=True, slots=True)
class AnswerSources:
    """Everything that an answer is read from: the index, the passages and chain of the result, and the models."""

    index: Index
    readings: Sequence[ReadPassage]
    chain: Chain
    reader: Reader
    verifier: Verifier | None

    def read(self, asked: str, least: float = 0.0) -> tuple[Candidate, ...]:
        """Read the passages for a question that they were not retrieved for, each with at least this score."""
        own = weigh_words(asked, self.index)
        again = [ReadPassage(r.passage, own, score=max(least, r.score), whole_title=True) for r in self.readings]
        return read_answers(own, expected(asked), again, self.chain, self.reader, self.verifier, room=ROOM).candidates


@dataclass(frozen=True, slots=True)
class Answers:
    """The reading of a question and its candidates, best first."""

    reading: Reading
    candidates: tuple[Candidate, ...]


def read_answers(
    question: QuestionWords,
    wanted: Expected,
    passages: Sequence[ReadPassage],
    chain: Chain,
    reader: Reader,
    verifier: Verifier | None = None,
    *,
    room: int,
) -> Answers:
    """Let a reader find candidates in the best passages, and rank them by probability and fit."""
    shown = contexts(question, passages, chain, room=room)
    if not shown:
        return Answers(Reading(none=1.0), ())
    alone = [one for p in passages[:_ALONE] for one in contexts(question, [p], chain, room=room)] if shown[1:] else []
    said = _read(question.text, shown, alone, reader)
    shown += alone
    merged: dict[str, Candidate] = {}
    for span in said.spans:
        candidate = _candidate(span, shown[span.context], wanted, question.text)
        key = text.surface_key(candidate.text)
        # The same answer in two sentences adds up; it is quoted from the likelier one.
        if key and (known := merged.get(key)):
            merged[key] = replace(known, probability=known.probability + candidate.probability)
        elif key:
            merged[key] = candidate
    if not merged:
        return Answers(said, ())
    weighed = weigh_passages(list(merged.values()))
    # A price "from January 2026" answers for 2026, and not the one in an undated table.
    dated = [_is_dated(c, question.text) and c.agrees for c in weighed]
    undated = [_DISAGREES if wanted.kind == "number" and any(dated) and not own else 1.0 for own in dated]
    worth = [_worth(c, question, wanted) * factor for c, factor in zip(weighed, undated, strict=True)]
    order = [weighed[place] for place in sorted(range(len(weighed)), key=lambda place: -worth[place])]
    best = order[0]
    sure = confidence(features_of(best, question, chain, passages, said.none, verifier))
    if (
        # A noun is a weaker sign of the expected kind than "when", "who" or "how many".
        (not best.agrees and (wanted.counted or not wanted.noun or wanted.noun in SURE_AMOUNTS))
        or not fits(best.text, question.text)
        or only_asks(best.unit.text, question.text)
        # The title of a table names its rows, not their values.
        or (best.answer is None and SEPARATOR in best.unit.text)
        or not speaks_of_event(question.text, best.unit.text)
        or not states_difference(question.text, best.unit.text, best.text)
        or _repeats(best.text, question.text, wanted)
        or not is_named(question, passages)
        or not is_reachable(best, question.text, passages)
        or is_of_neighbor(best, question.text, passages)
        or (
            # Amounts change from year to year; people mostly do not.
            (any(letter.isdigit() for letter in best.text) or SEPARATOR in best.unit.text)
            and is_of_another_year(best, question.text, passages_before(best, chain, passages).values())
        )
        or not is_of_quarter(best, question.text)
        # A question for a total is not answered by one of its parts.
        or (_IN_ALL.search(question.text) and not _IN_ALL.search(best.unit.text))
    ):
        sure *= UNSAID
    # No candidate gets a higher confidence than the best.
    shares = [min(1.0, candidate.probability / best.probability) if best.probability else 1.0 for candidate in order]
    rated = [replace(candidate, confidence=sure * share) for candidate, share in zip(order, shares, strict=True)]
    return Answers(said, tuple(rated))


def weigh_passages(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Reweight the reader's probabilities by the score of each passage.

    Readers attend to the verb of a question more than to its names, and confuse the designers of two ships.
    """
    priors = [(_ANYWHERE + max(0.0, candidate.passage.score)) ** 0.5 for candidate in candidates]
    whole = sum(candidate.probability for candidate in candidates)
    scale = whole / (sum(c.probability * prior for c, prior in zip(candidates, priors, strict=True)) or 1.0)
    return [
        replace(candidate, probability=candidate.probability * prior * scale)
        for candidate, prior in zip(candidates, priors, strict=True)
    ]


def _read(asked: str, shown: Sequence[ReaderContext], alone: Sequence[ReaderContext], reader: Reader) -> Reading:
    """Read all contexts together, and the best ones separately, since other passages can distract."""
    together = reader.read(asked, [context.text for context in shown])
    if not alone:
        return together
    single = [reader.read(asked, [context.text]) for context in alone]
    answering = max(1.0, sum(1 - one.none for one in single))
    spans = [replace(span, probability=(1 - _SHARE) * span.probability) for span in together.spans]
    spans += [
        replace(span, context=place, probability=_SHARE * (1 - one.none) / answering * span.probability)
        for place, one in enumerate(single, len(shown))
        for span in one.spans
    ]
    return replace(together, spans=tuple(sorted(spans, key=lambda span: -span.probability)))


def _candidate(span: Span, context: ReaderContext, wanted: Expected, asked: str) -> Candidate:
    start, end = _whole_amount(context.text, *_whole_words(context.text, span.start, span.end))
    if wanted.kind == "name":
        start = _whole_institution(context.text, start, wanted.noun)
    if wanted.kind == "date" and wanted.noun != "year":
        start, end = _whole_date(context.text, start, end)
    unit, answer = context.locate(start, end)
    said = context.text[start:end]
    if answer is not None:
        answer = _without_address(_whole_cell(unit, answer))
        said = answer.text
    if wanted.noun == "year" and len(years := list(_YEAR.finditer(said))) == 1:
        said = years[0].group()
        if answer is not None:
            answer = Quote(answer.passage_id, said, answer.start + years[0].start(), answer.start + years[0].end())
    candidate = Candidate(
        _FULL_STOP.sub("", " ".join(said.split()).strip(" ,;:")), context.reading, unit, answer, span.probability
    )
    # Any value of the column asked for is of the right kind.
    column = set(text.stems(text.words(_column(candidate))))
    is_named = wanted.kind == "name" and column.issuperset(text.stems([wanted.noun]))
    return replace(candidate, agrees=is_named or (agrees(said, wanted) and fits(said, asked)))


def _whole_words(said: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span to whole words, and a company to its legal form: tokenizers split "OR-25" and "13:02"."""
    while start and (
        said[start - 1].isalnum() or (said[start - 1] in _INSIDE and said[start - 2 : start - 1].isalnum())
    ):
        start -= 1
    while end < len(said) and (said[end].isalnum() or (said[end] in _INSIDE and said[end + 1 : end + 2].isalnum())):
        end += 1
    if said[start : start + 1].isupper() and (form := _LEGAL_FORM.match(said, end)):
        end = form.end()
    return start, end


def _whole_amount(said: str, start: int, end: int) -> tuple[int, int]:
    """Extend a number by its currency and scale: models return "3" for "almost $3 million"."""
    if said[start : start + 1].isdigit() and (currency := _CURRENCY.search(said, 0, start)):
        start = currency.start()
    if said[end - 1 : end].isdigit() and (scale := _SCALE.match(said, end)):
        end = scale.end()
    return start, end


def _whole_date(said: str, start: int, end: int) -> tuple[int, int]:
    """Extend a year to the date it belongs to: models return "1987" for "16 September 1987"."""
    around = [date.span() for date in _DATE.finditer(said) if date.start() <= start and end <= date.end()]
    return around[0] if around else (start, end)


def _whole_institution(said: str, start: int, noun: str) -> int:
    """Extend a name by the noun asked for: models return "Phycology" for the Journal of Phycology."""
    before = _OF.search(said, 0, start) if said[start : start + 1].isupper() else None
    return before.start() if before and noun in text.words(before.group()) else start


def _without_address(answer: Quote) -> Quote:
    """Remove the address after a name in the header of an email: Ada Holm <ada@example.org>."""
    said = _ADDRESS.sub("", answer.text)
    return Quote(answer.passage_id, said, answer.start, answer.start + len(said)) if said else answer


def _whole_cell(unit: Quote, answer: Quote) -> Quote:
    """Return the whole value of the cell in which a span begins."""
    if SEPARATOR not in unit.text:
        return answer
    at = answer.start - unit.start
    start = unit.text.rfind(SEPARATOR, 0, at + 1)
    start = start + len(SEPARATOR) if start >= 0 else 0
    end = unit.text.find(SEPARATOR, start)
    name, colon, value = unit.text[start : end if end >= 0 else len(unit.text)].partition(": ")
    if not colon or not value.strip() or len(value) > _CELL:
        return answer
    first = unit.start + start + len(name) + len(colon)
    return Quote(answer.passage_id, value, first, first + len(value))


def _worth(candidate: Candidate, question: QuestionWords, wanted: Expected) -> float:
    worth = candidate.probability if candidate.agrees else _DISAGREES * candidate.probability
    if wanted.options:
        return worth if match_option(candidate.text, wanted.options) else _DISAGREES * worth
    if not is_of_quarter(candidate, question.text) or only_asks(candidate.unit.text, question.text):
        worth *= _DISAGREES
    # "Who drew the ship that Amundsen borrowed?" is not answered by "Amundsen".
    names = wanted.kind in ("person", "place", "name")
    return _ECHOES * worth if names and is_asked(candidate.text, question.text) else worth


def _repeats(said: str, asked: str, wanted: Expected) -> bool:
    """Return whether an answer repeats the question: "electric vans" for "Which electric vans …?"."""
    of_names = wanted.kind in ("person", "place", "name")
    # "Who was captain before Ada Holm?" is not answered by "Captain Holm".
    if wanted.kind == "person" and is_asked(said, asked):
        return True
    return (said.islower() or of_names) and not wanted.options and text.find_name(asked.lower(), said.lower()) >= 0


def match_option(said: str, options: Sequence[str]) -> str:
    """Return the option that an answer names, in full or in part; empty if it names none or several."""
    words = text.words(said)
    named = [o for o in options if text.contains(text.words(o), words) or text.contains(words, text.words(o))]
    return named[0] if words and len(named) == 1 else ""


def features_of(
    candidate: Candidate,
    question: QuestionWords,
    chain: Chain,
    passages: Sequence[ReadPassage],
    none: float,
    verifier: Verifier | None,
) -> dict[str, float]:
    """Return the features of an answer, by the names of the coefficients in `confidence`."""
    before = passages_before(candidate, chain, passages)
    quotes = [
        f"{heading(before[link.source].passage)}{link.quote.text}" for link in chain.links if link.source in before
    ]
    along = " ".join((*dict.fromkeys(quotes), f"{heading(candidate.passage.passage)}{candidate.unit.text}"))
    mask = question.mask(text.stems(text.words(along)))
    for reading in before.values():
        mask |= reading.mask
    # Question and answer together are a claim that its sentence, with those before it in the chain, may support.
    stated = verifier.verify(f"{question.text} {candidate.text}.", [along])[0].supported if verifier else 0.5
    return {
        "reader": log_odds(candidate.probability),
        "none": none,
        "named": float(share_named(question.text, candidate, before.values()) > 0),
        "said": question.weight(mask) / (question.weight(question.everything) or 1.0),
        # Answers over several hops are rarely entailed by a few sentences, so this is bounded.
        "stated": max(_LEAST_STATED, log_odds(stated)),
    }


def passages_before(candidate: Candidate, chain: Chain, passages: Sequence[ReadPassage]) -> dict[str, ReadPassage]:
    """Return the passages before that of an answer in the chain, by id."""
    known = {p.passage.id: p for p in passages}
    sources, before = {link.target: link.source for link in reversed(chain.links)}, dict[str, ReadPassage]()
    id = sources.get(candidate.passage.passage.id)
    while id and id not in before and id in known:
        before[id] = known[id]
        id = sources.get(id)
    return before


def share_named(asked: str, candidate: Candidate, before: Iterable[ReadPassage]) -> float:
    """Return the share of the question's names that the passage of the answer, or one before it in the chain, mentions.

    In a table, a model name counts only if the row itself has it.
    """
    names = names_of(asked)
    if not names:
        return 1.0
    said = " ".join(f"{heading(p.passage)}{p.lower}".lower() for p in (*before, candidate.passage))
    row = f"{heading(candidate.passage.passage)}{candidate.unit.text}".lower()
    others = SEPARATOR in row and types_of(candidate.unit.text)
    return sum(mentions(row if others and is_type(name) else said, name) for name in names) / len(names)


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
    """Return whether an answer is about another year, and no passage before it mentions the year of the question."""
    years = set(_YEAR.findall(asked))
    stated = set(_YEAR.findall(f"{heading(candidate.passage.passage)}{candidate.unit.text}"))
    if not years or not stated or years & stated:
        return False
    return not any(year in f"{heading(p.passage)}{p.text}" for p in (*before, candidate.passage) for year in years)


def _is_dated(candidate: Candidate, asked: str) -> bool:
    """Return whether the unit of an answer, or its heading, mentions a year of the question."""
    said = f"{heading(candidate.passage.passage)}{candidate.unit.text}"
    return not set(_YEAR.findall(asked)).isdisjoint(_YEAR.findall(said))


def is_of_quarter(candidate: Candidate, asked: str) -> bool:
    """Return whether an answer is about the quarter or half-year of a question; True if it names none.

    Without a year, a quarter may be that of a game.
    """
    asked_for = periods_in(asked) if _YEAR.search(asked) else set()
    return not asked_for or bool(asked_for & periods_in(f"{heading(candidate.passage.passage)}{candidate.unit.text}"))


def split_answers(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the answers to a question that asks for several: items of a list, spans of one unit, or cells of a column.

    Spans of one unit share the probability, so each gets the confidence that any of them is right.
    """
    best = candidates[0]
    items = _items(best)
    if len(items) > 1:
        return items if not count or len(items) >= count else []
    alike = [c for c in candidates if c.agrees and c.probability >= _SEVERAL * best.probability]
    here = [c for c in alike if c.unit == best.unit or (_column(c) and _column(c) == _column(best))]
    apart = [c for i, c in enumerate(here) if not any(c.text in o.text or o.text in c.text for o in here[:i])]
    chosen = apart[:count] if count else apart
    sure = 1 - prod(1 - candidate.confidence for candidate in chosen)
    return [replace(candidate, confidence=sure) for candidate in chosen]


def _items(candidate: Candidate) -> list[Candidate]:
    """Split an answer that is a list into its items."""
    if candidate.answer is None or SEPARATOR in candidate.answer.text:
        return [candidate]
    items, at = [], candidate.answer.start
    for item in _LIST.split(candidate.answer.text):
        at = candidate.passage.passage.text.find(item, at)
        if item and at >= 0:
            items.append(
                replace(candidate, text=item, answer=Quote(candidate.unit.passage_id, item, at, at + len(item)))
            )
            at += len(item)
    return items or [candidate]


def _column(candidate: Candidate) -> str:
    if candidate.answer is None or SEPARATOR not in candidate.unit.text:
        return ""
    before = candidate.unit.text[: candidate.answer.start - candidate.unit.start]
    return before.rsplit(SEPARATOR, 1)[-1]
