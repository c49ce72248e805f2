"""Parses the dates, periods and amounts of a text into values that can be compared."""

from __future__ import annotations

import re

from multihop import text
from multihop.answering.kinds import spans
from multihop.text.number_words import with_digits

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b|\b\d{3,4}(?=\s+(?:BC|AD))")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
# Three letters identify a month, in full and abbreviated.
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_WEEK = [day[:3].lower() for day in _DAYS]
_NAMED_DAY = r"(mon|tues|wednes|thurs|fri|satur|sun)days?"
_WEEKDAYS = re.compile(rf"\b{_NAMED_DAY}\b(?:\s*(?:to|until|till|through|[-–—])\s*{_NAMED_DAY}\b)?", re.IGNORECASE)
_MONTH = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
# Commas or blanks may separate thousands.
_AMOUNT = re.compile(r"\d{1,3}(?:[,\u00a0 ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_PERIOD = re.compile(
    r"\b(?:(first|second|third|fourth|last|1st|2nd|3rd|4th)[ -](quarter|half)"
    r"|(q|h)([1-4])(?![\d.])|([1-4])(q|h)(?=[ \d]|$))",
    re.IGNORECASE,
)
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}

Value = tuple[float, ...]


def date_of(said: str) -> Value | None:
    """Parse a date into year, month and day, as far as given; None without a year."""
    if iso := _ISO.search(said):
        return tuple(float(number) for number in iso.groups())
    if not (year := _YEAR.search(said)):
        return None
    month = _MONTH.search(said)
    day = _DAY.search(said.replace(year.group(), " "))
    parts = [float(year.group())]
    if month:
        parts.append(float(_MONTHS[month.group().lower()]))
        parts += [float(day.group(1))] if day else []
    return tuple(parts)


def days_in(said: str, *, months: bool = False) -> dict[str, Value]:
    """Find complete dates, by their spelling: "5 April 2024", "2024-04-05"; a month is only enough on demand."""
    written = [span.text for span in spans(said, "date")] + [match.group() for match in _ISO.finditer(said)]
    return {each: day for each in written if (day := date_of(each)) and len(day) > (1 if months else 2)}


def weekdays_in(said: str) -> set[int]:
    """Find the days of the week in a text, from 0 for Monday; "Tuesday to Sunday" are six."""
    return {day for match in _WEEKDAYS.finditer(said) for day in _days_of(match)}


def with_weekdays(said: str) -> str:
    """Write out ranges of days: "Tuesday to Thursday" as "Tuesday, Wednesday, Thursday"."""

    def write(match: re.Match[str]) -> str:
        return ", ".join(_DAYS[day] for day in _days_of(match)) if match[2] else match[0]

    return _WEEKDAYS.sub(write, said)


def _days_of(match: re.Match[str]) -> list[int]:
    first, last = (_WEEK.index((day or match[1])[:3].lower()) for day in match.groups())
    return [(first + step) % 7 for step in range((last - first) % 7 + 1)]


def periods_in(said: str) -> set[str]:
    """Find the quarters and half-years in a text: both "the third quarter" and "Q3" are q3."""
    periods = set()
    for match in _PERIOD.finditer(said):
        place, unit, short, number, leading, trailing = match.groups()
        kind = (unit or short or trailing)[0].lower()
        ordinal = (number or leading or _ORDINALS.get(place.lower(), place[0])).lower()
        # The last of four, or of two.
        periods.add(f"{'h' if kind == 'h' else 'q'}{ordinal.replace('l', '4' if kind == 'q' else '2')}")
    return periods


def amount_of(said: str) -> Value | None:
    """Parse the first number of a text, with a following thousand, million or billion; None without a number."""
    if not any(map(str.isdigit, said)):
        said = with_digits(said)
    if not (amount := _AMOUNT.search(said)):
        return None
    number = float(re.sub(r"[,\u00a0 ]", "", amount.group()))
    following = text.words(said[amount.end() :])[:1]
    return (number * _SCALES.get(following[0] if following else "", 1.0),)
