"""Answers differences ("How many fewer tickets were sold in May than in April?"): reads both values, then subtracts."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.comparisons import side_questions, sub_question
from multihop.answering.contexts import heading
from multihop.answering.kinds import LARGER, SMALLER, expected
from multihop.answering.measures import unit_name
from multihop.answering.nested_questions import read_whole
from multihop.answering.spans import AnswerSources
from multihop.text.number_words import with_digits
from multihop.types.dates import MONTH

_BE = "is|are|was|were"
_MORE = re.compile(
    r"\W*(?:by )?(?P<how>how (?:many(?: (?P<unit>[a-z]+))?|much)) (?P<word>more|fewer|less) (?!expensive\b)"
    r"(?P<rest>.+?) than (?P<other>.+?)\W*",
    re.IGNORECASE,
)
"""How many fewer people … than …?"""
_IS = re.compile(
    rf"\W*(?:by )?how (?:many (?P<unit>[a-z]+)|much) (?P<word>more expensive|less expensive|[a-z]+er) "
    rf"(?P<be>{_BE}) (?P<one>.+?) than (?P<other>.+?)\W*",
    re.IGNORECASE,
)
"""How much deeper is … than …?"""
_BECAME = re.compile(
    r"\W*(?:by )?how (?:many (?P<unit>[a-z]+)|much)(?: (?P<word>more expensive|less expensive|[a-z]+er))? "
    r"(?:did|has|have) (?P<of>.+?) (?P<verb>become|got|get|gr[eo]wn?|rise|risen|increased?|go up|climb|fall|fallen|"
    r"drop|dropped|decreased?|shrink|shrunk|declined?|sink|go down) "
    r"(?:from|between) (?P<first>.+?) (?:to|and) (?P<last>.+?)\W*",
    re.IGNORECASE,
)
"""By how many euros did … grow from … to …?"""
_SHRINKS = re.compile(r"fall|drop|decrease|shr|decline|sink|go down", re.IGNORECASE)
_PLACE = re.compile(r"(in|on|at|for|during|under|with|from) ", re.IGNORECASE)
_YEAR_BEFORE = re.compile(
    r"(?:(?:in|for|during) )?(?:the (?:year before|(?:previous|preceding) (?:\w+ )?year)|(?:a|one) year "
    r"(?:before|earlier))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b((?:19|20)\d\d)(?:([/–-])(\d\d))?(?!\d)")
_NOW = re.compile(r" (?:today|now|currently)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:do|does|did|has|have|had|is|are|was|were) ")
_VERB_LAST = re.compile(r"(?P<one>(?:the|an?|our|their|his|her) [^,]+?)(?= [a-z]+$)")
_END_OF = re.compile(rf"(?:at )?the end of (?:(?P<month>{MONTH}) )?(?P<year>\d{{4}})", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WHEN = re.compile(rf"\b(?:(?:19|20)\d\d(?:[/–-]\d\d)?(?!\d)|{MONTH}\b)", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?P<before>[€£$]|[A-Z]{3}\b)? ?(?P<number>\d{1,3}(?:(?P<mark>[, \u00a0])\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<after> ?[€£$]|[ \u00a0]?[^\W\d]+)?",
)
_SCALES, _SEVERAL = frozenset(("hundred", "thousand", "million", "billion")), 2
_BEFORE = 15
"""Number of characters before a value that may say that it is not exact."""
_MEASURED = frozenset(text.stems("many much cost price fee amount year high long deep wide old".split()))
_BOUND = re.compile(
    r"%|\b(?:about|around|approximately|roughly|nearly|almost|over|under|up to|at (?:least|most)|"
    r"(?:more|less|fewer) than|percent|per cent)\b",
    re.IGNORECASE,
)
"""Values that are not exact, or shares."""


class _Sides(NamedTuple):
    """The questions for two values, whether the first is the smaller one, and the unit that is asked for."""

    questions: tuple[str, str]
    is_smaller: bool
    unit: str = ""


class _Quantity(NamedTuple):
    """A number with its currency or unit as written, its thousands separator, and whether its source says its time."""

    number: Decimal
    currency: str
    unit: str
    mark: str
    dated: bool


def subtract(asked: str, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Answer how much more one value is than another; None for other questions, or if a value is missing or unclear."""
    sides = _sides(asked)
    if sides is None:
        return None
    read = [_read(each, other, sources) for each, other in (sides.questions, sides.questions[::-1])]
    if read[0] is None or read[1] is None:
        return None
    (one, first), (other, second) = read[0], read[1]
    # Two values of one cell or place are one value, and the question says which is larger.
    if one.answer is None or one.answer == other.answer or not (first.dated or second.dated):
        return None
    is_smaller = first.number < second.number
    if first.number == second.number or is_smaller is not sides.is_smaller or not _are_alike(first, second, sides.unit):
        return None
    sure = round(one.confidence * other.confidence, 4)
    sentences = {each.unit: each.sentence(sure) for each in (one, other)}
    like = first if first.currency or not second.currency else second
    said = _written(abs(first.number - second.number), like, sides.unit or first.unit or second.unit)
    return ExtractiveAnswer(said, sure, tuple(replace(each, confidence=sure) for each in sentences.values()))


def _sides(asked: str) -> _Sides | None:
    """Return the questions for both values of a difference; None for other questions."""
    if said := _MORE.fullmatch(asked):
        is_of = said["unit"] and not _SUBJECT.match(said["rest"])
        one = f"{said['how']} {'of ' if is_of else ''}{said['rest']}"
        questions = _with_other(one, said["other"])
        return _Sides(questions, said["word"].lower() != "more", said["unit"] or "") if questions else None
    if said := _IS.fullmatch(asked):
        one, at, when = said["one"], "", ""
        if place := _PLACE.match(said["other"]):
            one, at, when = one.rpartition(f" {place[1]} ")
        compared = side_questions(f"{said['be'].title()} {one} {said['word']}{at}{when} than {said['other']}?")
        return _Sides(compared.sides, compared.smaller, said["unit"] or "") if compared else None
    if not (said := _BECAME.fullmatch(asked)):
        return None
    word, unit = said["word"] or "", said["unit"] or ""
    last, year = said["last"], _YEAR.search(said["last"])
    first = said["first"] if _YEAR.search(said["first"]) or not year else f"{said['first']} {year[0]}"
    template = sub_question(word) if word else f"How {f'many {unit}' if unit else 'much'} was {{}}?"
    asks = tuple(f"{template.replace('{}', said['of'], 1).rstrip('?')} {_on(each)}?" for each in (first, last))
    shrinks = SMALLER.search(word) or word.startswith("less") if word else _SHRINKS.match(said["verb"])
    if not template or (word and not SMALLER.search(word) and not LARGER.search(word)):
        return None
    return _Sides((asks[0], asks[1]), not shrinks, unit)


def _with_other(one: str, other: str) -> tuple[str, str] | None:
    """Return a question about one thing, and the same about another: that in 2023 about 2022, Ada's about Bo."""
    if other.endswith(" ago"):
        return f"{one}?", f"{_NOW.sub('', one)} {other}?"
    place = _PLACE.match(other)
    years = list(_YEAR.finditer(one))
    if _YEAR_BEFORE.fullmatch(other):
        return (f"{one}?", f"{_YEAR.sub(_year_before, one)}?") if len(years) == 1 else None
    if place:
        head, found, _ = one.rpartition(f" {place[1]} ")
        return (f"{one}?", f"{head} {other}?") if found else None
    subject = _SUBJECT.search(one)
    if subject is None:
        return None
    names = [text.capitalized_spans(each) for each in (one[subject.end() :], other)]
    if names[0] and names[1]:
        first, second = one[subject.end() : subject.end() + names[0][0][2]], other[: names[1][0][2]]
        tail = other[names[1][0][2] :]
    elif verb := _VERB_LAST.match(one, subject.end()):
        first, second, tail = verb["one"], other, ""
    else:
        return None
    # In "than Bo in 2023" the year is that of both.
    if tail and not _PLACE.match(tail.lstrip()):
        return None
    return f"{one}{tail}?", f"{one[: subject.end()]}{second}{one[subject.end() + len(first) :]}{tail}?"


def _year_before(year: re.Match[str]) -> str:
    short = f"{year[2]}{(int(year[3]) - 1) % 100:02}" if year[3] else ""
    return f"{int(year[1]) - 1}{short}"


def _on(when: str) -> str:
    """Return a time with its preposition; the end of a month or year is its last day."""
    if end := _END_OF.fullmatch(when):
        name = end["month"] or "December"
        month = _MONTHS.index(name[:3].lower()) + 1
        return f"on {monthrange(int(end['year']), month)[1]} {name} {end['year']}"
    if _PLACE.match(when):
        return when
    return f"on {when}" if when[:1].isdigit() and not _YEAR.match(when) else f"in {when}"


def _read(asked: str, other: str, sources: AnswerSources) -> tuple[Candidate, _Quantity] | None:
    """Read the value of one side; None if it is no exact number, or one of something else or the other side's time."""
    answers = read_whole(asked, sources)
    if not answers or not answers[0].agrees or expected(asked).kind == "date":
        return None
    best, above = answers[0], heading(answers[0].passage.passage)
    own, others, stated = (set(map(str.lower, _WHEN.findall(e))) for e in (asked, other, f"{above}{best.unit.text}"))
    is_dated = own <= others or not stated.isdisjoint(own - others)
    if not stated.isdisjoint(others - own) and stated.isdisjoint(own - others):
        return None
    before = best.unit.text.partition(best.text)[0][-_BEFORE:]
    about = set(text.stems(text.words(f"{above}{best.passage.text}")))
    if about.isdisjoint(_content(asked)) or _BOUND.search(f"{before}{best.text}"):
        return None
    quantity = _quantity_of(best.text, is_dated)
    return (best, quantity) if quantity else None


def _quantity_of(said: str, dated: bool) -> _Quantity | None:
    """Parse the only number of a text, with its currency or unit; None without one, or with several."""
    found = list(_QUANTITY.finditer(said if any(map(str.isdigit, said)) else with_digits(said)))
    if len(found) != 1:
        return None
    currency, number, mark, after = (found[0][name] or "" for name in ("before", "number", "mark", "after"))
    unit = after.strip().lower()
    if unit and not unit[0].isalpha():
        currency, unit = unit, ""
    unit = "" if unit in text.STOPWORDS or unit == "per" else unit
    return _Quantity(Decimal(re.sub(r"[, \u00a0]", "", number)), currency, unit, mark, dated)


def _content(asked: str) -> set[str]:
    """Return the stems of what a question is about, without its time and what it measures."""
    return {stem for stem in text.terms(_WHEN.sub(" ", asked)) if not stem.isdigit()} - _MEASURED


def _are_alike(one: _Quantity, other: _Quantity, asked_for: str) -> bool:
    """Return whether two quantities and the question have the same unit, as far as these say one."""
    # "£2 million" and "£900" are as unlike as "2 kg" and "900 m".
    scaled = any(each.unit in _SCALES for each in (one, other))
    units = {unit_name(each.unit) for each in (one, other) if each.unit or scaled}
    currencies = {unit_name(each.currency) for each in (one, other) if each.currency}
    if asked_for:
        (currencies or units).add(unit_name(asked_for))
    return len(units) < _SEVERAL and len(currencies) < _SEVERAL


def _written(number: Decimal, like: _Quantity, unit: str) -> str:
    """Write a number with the currency and the thousands separator of a value, or with a unit."""
    digits = f"{number:,}".replace(",", like.mark or ",")
    if like.currency:
        scale = f" {unit}" if unit in _SCALES else ""
        return f"{like.currency}{'' if like.currency in '€£$' else ' '}{digits}{scale}"
    return f"{digits} {unit}".strip()
