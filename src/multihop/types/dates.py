"""Days as ISO texts ("2024-05-03"), which compare in the order of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th|\.)?"
DATE = rf"(?:\d{{4}}-\d\d-\d\d|{_NTH} {MONTH},? \d{{4}}|{MONTH} {_NTH},? \d{{4}})"
"""A day as English texts write it, as a regular expression."""
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ]\d\d:.*)?")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th|\.)? ({MONTH}),? (\d{{4}})", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"({MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})", re.IGNORECASE)
_MONTH_ALONE = re.compile(rf"({MONTH}),? (\d{{4}})", re.IGNORECASE)


def iso_day(value: object, *, last: bool = False) -> str | None:
    """Read a day from a date, a year or a text; None for anything else.

    A year or a month stands for its first day, or with `last` for its last one.
    """
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = " ".join(str(value).split())
    try:
        if match := _ISO.fullmatch(text):
            return _iso(match.groups(), last)
        if match := _DAY_FIRST.fullmatch(text):
            return date(int(match[3]), _month(match[2]), int(match[1])).isoformat()
        if match := _MONTH_FIRST.fullmatch(text):
            return date(int(match[3]), _month(match[1]), int(match[2])).isoformat()
        if match := _MONTH_ALONE.fullmatch(text):
            return _iso((match[2], _month(match[1]), None), last)
    except ValueError:
        return None  # such as 31 April
    return None


def _iso(written: Sequence[str | int | None], last: bool) -> str:
    year, month, day = (int(part) if part else None for part in written)
    if year is None or (month is not None and not 1 <= month <= 12):
        raise ValueError(written)
    if not last or day is not None:
        return date(year, month or 1, day or 1).isoformat()
    after = date(year + 1, 1, 1) if (month or 12) == 12 else date(year, (month or 12) + 1, 1)
    return date.fromordinal(after.toordinal() - 1).isoformat()


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def day_before(day: str) -> str:
    """Return the day before a day; the first of all days has none before it."""
    return (date.fromisoformat(day) - timedelta(days=day > date.min.isoformat())).isoformat()


def format_day(day: str) -> str:
    """Write a day as English prose does: "3 May 2024"."""
    parsed = date.fromisoformat(day)
    return f"{parsed.day} {parsed:%B} {parsed.year}"
