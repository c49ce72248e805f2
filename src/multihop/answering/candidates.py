"""A candidate for an answer: a span that a reader finds, extended to whole words, amounts, dates and cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from multihop import text
from multihop.answering.contexts import ReaderContext
from multihop.answering.kinds import Expected, agrees, spans
from multihop.answering.measures import dimensions_asked, fits
from multihop.parts.selectors.reading import ReadPassage
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Quote, Span
from multihop.types.dates import DATE, MONTH

_SEVERAL = 0.15
"""Minimum probability of further spans of a list, as a share of the first."""
_CELL = 80
_INSIDE = "-:/.’'"
_ADDRESS = re.compile(r"\s*<\S+@\S*>?$")
YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_FULL_STOP = re.compile(r"(?<=\d)\.$")
_CURRENCY = re.compile(r"(?:[$£€]|\b(?:USD|EUR|GBP|NOK|SEK|DKK|CHF|CAD|AUD|JPY|INR|CNY)) ?$")
_THOUSANDS = re.compile(r"(?:,\d{3})+(?!\d)")
_SCALE = re.compile(r" ?(?:%|percent\b|per cent\b|hundred\b|thousand\b|million\b|billion\b|trillion\b)")
_DATE = re.compile(
    rf"\b(?:{DATE}|{MONTH},? \d{{4}}|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:the )?"
    r"(?:(?:twenty-|thirty-|thir|four|fif|six|seven|eigh|nine|ten|eleven|twelf|first|second|third)\w*"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?) (?:day )?(?:of )?{MONTH}(?:,? \d{{4}})?)\b",
    re.IGNORECASE,
)
"""A date, in full or without its year, also in words: "Sunday, the fourteenth of August"."""
_DATE_BEFORE = re.compile(rf"\d{{1,2}}(?:st|nd|rd|th)? {MONTH},? (?=\d[\d,. ]*\D*$)")
"""In "31 May 7,402 euros" the day is not part of the amount."""
_LEGAL_FORM = re.compile(r" (?:ASA?|AB|AG|BV|Corp|GmbH|Inc|KG|LLC|Ltd|NV|Oy|PLC|plc|SA|SE|SpA)\b")
_OF = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)* (?:of|for)(?: the)? $")
_MARK = re.compile(r"\W*\d{1,3}[.)](?=\s+(?!(?i:" + MONTH + r")))")
"""The number of a section or of an item in a list."""
_NUMBERED = re.compile(
    r"\b(?:places?|positions?|rank\w*|number|section|rule|step|item|chapter|paragraph|article|point|clause|question)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:ris\w+|rose|rais\w+|increas\w+|enlarg\w+|grow\w*|grew|go(?:es)?|went|mov\w+|chang\w+|exten\w+|cuts?|reduc\w+|"
    r"lower\w*|falls?|fell|drop\w*|shorten\w*|lengthen\w*|up|down)\b[^.;]*\bfrom $",
    re.IGNORECASE,
)
_PRICED = frozenset("price prices cost costs fee charge rent".split())
_FROM_TO = re.compile(r"[^ ]*\d[^ ]*(?: [^\W\d]+)?? to (?P<new>[^ ]*\d.*)")
"""Two amounts: "60 to 200 recipes"."""
THEN = re.compile(
    r"\b(?:before|until|old|previous(?:ly)?|former(?:ly)?|used to|earlier|original(?:ly)?)\b", re.IGNORECASE
)
"""In a question: it is about the past."""
MESSAGE = re.compile(
    r"\W*(?P<day>\d{1,2}[/.]\d{1,2}[/.](?:(?:19|20)\d\d|\d\d(?=,? \d{1,2}:\d\d))|(?:19|20)\d\d-\d\d-\d\d)\b"
)
"""A message in a chat begins with its day: [08/12/2023 18:22]."""
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


def candidate_of(span: Span, context: ReaderContext, wanted: Expected, asked: str) -> Candidate:
    """Locate a span in its passage, extended to what it is part of."""
    start, end = _whole_amount(context.text, *_whole_words(context.text, span.start, span.end))
    if wanted.kind == "name":
        start = _whole_institution(context.text, start, wanted.noun)
    if wanted.kind == "date" and wanted.noun != "year":
        start, end = _whole_date(context.text, start, end)
    if wanted.kind == "number" and (date := _DATE_BEFORE.match(context.text, start, end)):
        start = date.end()
    unit, answer = context.locate(start, end)
    said = context.text[start:end]
    if answer is not None:
        answer = _newer_amount(unit, _without_address(_whole_cell(unit, answer)), asked)
        said = answer.text
    if wanted.noun == "year" and len(years := list(YEAR.finditer(said))) == 1:
        said = years[0].group()
        if answer is not None:
            answer = Quote(answer.passage_id, said, answer.start + years[0].start(), answer.start + years[0].end())
    candidate = Candidate(
        _FULL_STOP.sub("", " ".join(said.split()).strip(" ,;:")), context.reading, unit, answer, span.probability
    )
    # Any value of the column asked for is of the right kind.
    column = set(text.stems(text.words(column_of(candidate))))
    is_named = wanted.kind == "name" and column.issuperset(text.stems([wanted.noun]))
    is_fitting = is_named or (agrees(said, wanted) and fits(said, asked))
    # "24 Apr   New lamp in." says no number.
    is_fitting &= wanted.kind != "number" or not any(
        day.start <= start and end <= day.end and not day.text.isdigit() for day in spans(context.text, "date")
    )
    if not is_fitting and dimensions_asked(asked) == ("money",) and (price := _price_in(unit)):
        return replace(candidate, text=price.text, answer=price, agrees=True)
    if wanted.kind == "date" and not is_fitting and (sent := MESSAGE.match(unit.text)):
        # "It died in the night", says a message of that day.
        day = unit.start + sent.start("day")
        answer = Quote(unit.passage_id, sent["day"], day, day + len(sent["day"]))
        return replace(candidate, text=sent["day"], answer=answer)
    return replace(candidate, agrees=is_fitting)


def _price_in(row: Quote) -> Quote | None:
    """Return the price in a row, if one column has prices: readers may choose the right row and a cell beside it."""
    found, at = [], row.start
    for cell in row.text.split(SEPARATOR) if SEPARATOR in row.text else ():
        column, _, value = cell.partition(": ")
        if not _PRICED.isdisjoint(re.split(r"[\W_]+", column.lower())) and any(letter.isdigit() for letter in value):
            found.append(Quote(row.passage_id, value, at + len(cell) - len(value), at + len(cell)))
        at += len(cell) + len(SEPARATOR)
    return found[0] if len(found) == 1 else None


def is_number_of_item(candidate: Candidate, asked: str) -> bool:
    """Return whether a candidate is the number of a section or an item, unless the question asks for one."""
    mark = _MARK.match(candidate.unit.text)
    if mark is None or candidate.answer is None or _NUMBERED.search(asked):
        return False
    return candidate.answer.end <= candidate.unit.start + mark.end()


def _whole_words(said: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span to whole words, and a company to its legal form: tokenizers split "OR-25" and "13:02"."""
    while start and (
        said[start - 1].isalnum()
        or _in_number(said, start - 1)
        or (said[start - 1] in _INSIDE and said[start - 2 : start - 1].isalnum())
    ):
        start -= 1
    while end < len(said) and (
        said[end].isalnum() or _in_number(said, end) or (said[end] in _INSIDE and said[end + 1 : end + 2].isalnum())
    ):
        end += 1
    if said[start : start + 1].isupper() and (form := _LEGAL_FORM.match(said, end)):
        end = form.end()
    return start, end


def _in_number(said: str, place: int) -> bool:
    """Return whether a comma separates thousands: models return "318" for "6,318"."""
    return said[place] == "," and bool(_THOUSANDS.match(said, place)) and said[place - 1 : place].isdigit()


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


def _newer_amount(unit: Quote, answer: Quote, asked: str) -> Quote:
    """Return the second of two amounts if the first changed to it: 200 of "enlarged from 60 to 200"."""
    both = _FROM_TO.fullmatch(answer.text)
    if both is None or THEN.search(asked) or not _CHANGED.search(unit.text[: answer.start - unit.start]):
        return answer
    return Quote(answer.passage_id, both["new"], answer.start + both.start("new"), answer.end)


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


def match_option(said: str, options: Sequence[str]) -> str:
    """Return the option that an answer names, in full or in part; empty if it names none or several."""
    words = text.words(said)
    named = [o for o in options if text.contains(text.words(o), words) or text.contains(words, text.words(o))]
    return named[0] if words and len(named) == 1 else ""


def split_answers(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the answers to a question that asks for several: items of a list, spans of one unit, or cells of a column.

    Spans of one unit share the probability, so each gets the confidence that any of them is right.
    """
    best = candidates[0]
    items = _items(best)
    if len(items) > 1:
        return items if not count or len(items) >= count else []
    alike = [c for c in candidates if c.agrees and c.probability >= _SEVERAL * best.probability]
    here = [c for c in alike if c.unit == best.unit or (column_of(c) and column_of(c) == column_of(best))]
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


def column_of(candidate: Candidate) -> str:
    """Return the name of the column that an answer stands in; empty outside of tables."""
    if candidate.answer is None or SEPARATOR not in candidate.unit.text:
        return ""
    before = candidate.unit.text[: candidate.answer.start - candidate.unit.start]
    return before.rsplit(SEPARATOR, 1)[-1]
