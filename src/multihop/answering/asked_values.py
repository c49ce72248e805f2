"""Checks a claim by asking for its values: for "Drummer Bank has 18 turbines." how many turbines Drummer Bank has.

Verifiers often overlook that only a number, a date or the last name is wrong; a reader that is asked finds another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.claims import claim_parts
from multihop.answering.group_prices import is_price_for_group
from multihop.answering.measures import measures_in
from multihop.answering.spans import AnswerSources
from multihop.answering.values import amount_of, date_of, weekdays_in
from multihop.text.number_words import NUMBER_WORDS, with_digits
from multihop.text.units import SEPARATOR
from multihop.types.dates import DATE, MONTH

_MOST_VALUES, _MOST_WORDS = 2, 16
"""Maximum number of values that are asked for, the last ones, and words of the claim."""
_SUBJECT = 0.4
"""What stands in this first share of a claim is mostly what it speaks of."""
_SUREST = 0.85
_INDIRECT = re.compile(
    r"\b(?:not|no|nor|never|none|neither|without|both|same|only|also|than|that|which|who|whose|whom|where|while|if|"
    r"total|altogether|at least|at most|up to|about|around|nearly|almost|over|before|after|"
    r"since|until|between)\b|\bunder\b(?! (?:the |our )?(?:present|current|new|latest)\b)"
    r"|n[’']t\b|, (?:and|but)\b",
    re.IGNORECASE,
)
"""Words of claims that another value need not contradict: "not in Oslo", "more than 50", "since 2012"."""
_DATED = re.compile(rf"\b(?:{DATE}|{MONTH},? \d{{4}})\b", re.IGNORECASE)
_DAY = re.compile(
    rf"(?<=\bon )(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?)\b(?!,? \d)"
)
_MONTH = re.compile(rf"(?<=\bin ){MONTH}(?=[.,]|$| (?:at|on|by|with|for)\b)")
_YEAR = re.compile(r"(?<=\bin )(?:1\d|20)\d\d\b(?! ?(?:%|(?:mm|cm|m|km|g|kg|t|[a-z]{3,}s)\b))")
_CODE = re.compile(r"\b[A-Z]+[-.]?\d[\w-]*\b|(?<=[a-z] )[A-Z](?=\W*$)")
_NUMBER = re.compile(
    r"(?<![\w.,-])(?:[$£€] ?|[A-Z]{3} )?(?:\d{1,3}(?:[ ,]\d{3})+|\d+)(?:\.\d+)?(?![\w-])"
    r"(?: (?:thousand|million|billion)\b)?"
)
_WORDED = re.compile(
    rf"\b(?!(?:zero|one)\b)(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?:{'|'.join(NUMBER_WORDS)})"
    r"(?= (?:[a-z]{3,} )?(?:people|men|women|children|[a-z]{2,}s)\b)",
    re.IGNORECASE,
)
_TIME = re.compile(
    rf"(?<=\bat )(?:\d{{1,2}}(?:[:.]\d\d)?|{'|'.join(list(NUMBER_WORDS)[1:13])})(?: ?[ap]\.?m\b\.?| o[’']clock)?"
    r"(?: in the (?:morning|afternoon|evening)| at night)?(?=[.,]|$| (?:on|in|every|and|for)\b)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<!half past )(?<![\d:.])(\d{1,2})(?:[:.](\d\d))?(?![\d:.]*\d)"
    r"(?: ?(?:(am|a\.m\b|in the morning)|(pm|p\.m\b|in the (?:afternoon|evening))))?",
    re.IGNORECASE,
)
_WEEKDAY_NAME = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_CLAUSE = re.compile(rf"{re.escape(SEPARATOR)}|;|,(?! (?:and |or )?(?:on )?(?:every )?(?:{_WEEKDAY_NAME}|{MONTH}|\d))")
"""Ends of clauses and cells: "Fridays, paper on Mondays", but not "Mondays, Wednesdays and Fridays"."""
_ANY_DAY = re.compile(rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|{MONTH} \d|{DATE}")
_TIMES = {
    "date": _ANY_DAY, "day": _ANY_DAY, "month": re.compile(rf"\b{MONTH}(?!\w)|\b\d{{4}}-\d\d\b"),
    "year": re.compile(r"\b(?:1\d|20)\d\d\b"), "time": _CLOCK,
}  # fmt: skip
"""By the kind of a value, what else may stand in its clause."""
_RANGE = re.compile(r"(?<!from )(?<![\d.,])(\d[\d,.]*)\s?(?:to|and|[–-])\s?(\d[\d,.]*)")
_WEEKDAY = re.compile(rf"(?<=\bon )(?:every )?{_WEEKDAY_NAME}s?\b")
_PATTERNS = (
    ("date", _DATED), ("day", _DAY), ("month", _MONTH), ("time", _TIME), ("weekday", _WEEKDAY), ("code", _CODE),
    ("year", _YEAR), ("number", _WORDED),
)  # fmt: skip
_MOST, _FEWEST = (
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        r"up to|at most|(?:no|not) (?:more|longer|later|higher) than|a maximum of|max(?:imum)?\.?|limit(?:ed)?|only",
        r"at least|(?:no|not) (?:fewer|less|earlier) than|a minimum of|min(?:imum)?\.?|or (?:more|older)|from",
    )
)
_BOUND = re.compile(r"\b(up to|at most|no (?:more|fewer|less) than|at least)(?= \w)", re.IGNORECASE)
_COUNTED = re.compile(r" (?:[a-z]{3,} )?(?:people|men|women|children|[a-z]{3,}s|mm|cm|m|km|g|kg|t)\b")
_OF_NAME = re.compile(r"[A-Z][\w-]* $")
"""Before a number: it is part of a name, as in "Ordinance 131"."""
_NAMED = re.compile(r"\b(?:in|on|at|by|to|from|of|for|with|is|was|are|were)(?: the| an?)? $")
_ANY_YEAR = 2000
_AFTER_NAME = re.compile(r"(?: [a-z]+)?\W*")
_JOINED = re.compile(r" (?:&|and) ")
_WHEN = {
    "date": "on what date", "day": "on what date", "month": "in what month", "year": "in what year",
    "weekday": "on what day of the week", "time": "at what time",
}  # fmt: skip
_PREPOSITION = re.compile(r"\b(?:on|in|at) $")


class ValueQuestion(NamedTuple):
    """A value of a claim, and the claim as a question for it."""

    value: str
    kind: str
    asked: str


def questions_for(claim: str) -> list[ValueQuestion]:
    """Return questions for the last values of a simple claim: dates, numbers, codes, and the name at its end."""
    if _INDIRECT.search(_BOUND.sub(" ", claim)) or len(claim.split()) > _MOST_WORDS or len(claim_parts(claim)) > 1:
        return []
    found: list[tuple[int, int, str]] = []
    for start, end, kind in _values(claim):
        if not any(first < end and start < last for first, last, _ in found):
            found.append((start, end, kind))
    bound = _BOUND.match(claim)
    said = [p for p in sorted(found) if p[0] >= _SUBJECT * len(claim) or (bound and p[0] == bound.end() + 1)]
    return [_question(claim, *place) for place in said[-_MOST_VALUES:]]


def _values(claim: str) -> Iterator[tuple[int, int, str]]:
    for kind, pattern in _PATTERNS:
        yield from ((*match.span(), kind) for match in pattern.finditer(claim))
    numbers = (match.span() for match in _NUMBER.finditer(claim))
    yield from ((start, end, "number") for start, end in numbers if not _OF_NAME.search(claim, 0, start))
    name = _last_name(claim)
    if name is None or weekdays_in(claim[name[0] : name[1]]):
        return
    if _NAMED.search(claim, 0, name[0]) and _AFTER_NAME.fullmatch(claim, name[1]):
        yield *name, "name"


def _last_name(claim: str) -> tuple[int, int] | None:
    """Return start and end of the last name, in full: "Pell & Sons"."""
    names = [(start, end) for _, start, end in text.capitalized_spans(claim)]
    if not names:
        return None
    start, end = names[-1]
    for first, last in reversed(names[:-1]):
        if _JOINED.fullmatch(claim, last, start):
            start = first
    return start, start + len(claim[start:end].rstrip(" ."))


def _question(claim: str, start: int, end: int, kind: str) -> ValueQuestion:
    before, after = claim[:start], claim[end:].rstrip(" .")
    word = "what"
    if kind in _WHEN:
        before, word = _PREPOSITION.sub("", before), _WHEN[kind]
    elif kind == "number" and not (claim[start].isdigit() or claim[start].islower()):
        word = "how much"
    elif kind == "number" and _COUNTED.match(after):
        word = "how many"
    return ValueQuestion(claim[start:end], kind, f"{before}{word}{after}?")


def contradicting_value(claim: str, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Return the value that the evidence gives instead of one of a claim, with its sentence; None if there is none."""
    if is_price_for_group(claim, [[unit.text for unit in each.sentences] for each in sources.readings]):
        return None
    best: Candidate | None = None
    for question in questions_for(claim):
        found = next(iter(sources.read(question.asked)), None)
        if found is None or not found.agrees or not _differs(claim, question, found):
            continue
        if best is None or found.confidence > best.confidence:
            best = found
    if best is None:
        return None
    sure = round(min(_SUREST, best.confidence), 4)
    return ExtractiveAnswer(best.text, sure, (replace(best, confidence=sure).sentence(),))


def _differs(claim: str, question: ValueQuestion, found: Candidate) -> bool:
    """Return whether an answer is another value of the same kind; False if this is unclear."""
    value, said = question.value, found.text
    words, others = text.words(value), text.words(said)
    if text.contains(words, others) or text.contains(others, words) or text.find_name(claim.lower(), said.lower()) >= 0:
        return False
    if question.kind in _WHEN:
        return _is_other_time(question, said, _clause(found))
    if question.kind == "number":
        return _is_other_amount(claim, value, found)
    # A name for a name, a code for a code.
    digits = any(map(str.isdigit, value)) is any(map(str.isdigit, said))
    return digits and said[:1].isupper() and len(others) <= len(words) + 2


def _is_other_time(question: ValueQuestion, said: str, clause: str) -> bool:
    """Return whether an answer is another time than that of a claim, which is not in a list or range with it."""
    value, kind = question.value, question.kind
    if kind == "weekday":
        # A clause may have several days: "Mondays and Thursdays", "Monday to Friday".
        days = weekdays_in(clause)
        return bool(days & weekdays_in(said)) and days.isdisjoint(weekdays_in(value))
    if len({match.group().lower() for match in _TIMES[kind].finditer(clause)}) > 1:
        return False
    if kind == "time":
        time, other = _time(value), _time(said)
        return bool(time and other) and any(a != b for a, b in zip(time or (), other or (), strict=False) if a and b)
    if kind in ("day", "month"):
        value, said = (each if date_of(each) else f"{each} {_ANY_YEAR}" for each in (value, said))
    day, another = date_of(value), date_of(said)
    first = 0 if kind in ("date", "year") else 1
    return any(a != b for a, b in zip((day or ())[first:], (another or ())[first:], strict=False))


def _is_other_amount(claim: str, value: str, found: Candidate) -> bool:
    """Return whether an answer is another amount than that of a claim, in the same unit, and as the same bound."""
    said, unit = found.text, found.unit.text
    if bound := _BOUND.search(claim):
        same = _FEWEST if bound[1].lower().endswith(("least", "fewer than", "less than")) else _MOST
        if not same.search(unit):
            return False
    # 12 is between 10 and 15.
    if any(said in between.group() or between.group() in said for between in _RANGE.finditer(unit)):
        return False
    units = {each.unit for each in measures_in(claim[claim.find(value) :])[:1]}
    amount, other = amount_of(value), amount_of(said)
    same_unit = not units or units.issuperset(each.unit for each in measures_in(said)[:1])
    return same_unit and bool(amount and other) and amount != other


def _clause(found: Candidate) -> str:
    """Return the clause or cell of a unit that has the answer."""
    at = max(0, found.unit.text.find(found.text))
    ends = [0, *(match.start() for match in _CLAUSE.finditer(found.unit.text)), len(found.unit.text)]
    return next(found.unit.text[a:b] for a, b in pairwise(ends) if b > at or b == ends[-1])


def _time(said: str) -> tuple[str, str] | None:
    """Parse a time of day: hours and minutes on a clock of twelve hours, and "am" or "pm", if known."""
    time = _CLOCK.search(with_digits(said))
    if time is None:
        return None
    hour = int(time[1])
    half = "am" if time[3] else "pm" if time[4] or hour > 12 else ""
    return f"{hour % 12}:{time[2] or '00'}", half
