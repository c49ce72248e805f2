"""Which of two: questions that compare by time are answered by the dates that the passages on both give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from multihop import text
from multihop.answering.kinds import Expected, spans
from multihop.parts.selectors.reading import Reading

_EARLIER = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|latest|younger|youngest|newer|newest|recent|recently|last)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b\d{3,4}\b")
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
# Three letters tell all months apart, in full and abbreviated.
_MONTH = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{1,2})\b")


def compared(asked: str, wanted: Expected, readings: Sequence[Reading]) -> str:
    """Say which of the alternatives of a question came first, or later, as it asks; empty where that cannot be told."""
    earlier = _EARLIER.search(asked) is not None
    # With neither of these words, or both, it is not said which end is asked for.
    if wanted.kind != "one of several" or earlier == (_LATER.search(asked) is not None):
        return ""
    about = [next((r for r in readings if _is_about(r, option)), None) for option in wanted.options]
    dates = [_when(reading) if reading else None for reading in about]
    dated = sorted((when, option) for when, option in zip(dates, wanted.options, strict=True) if when)
    # Where one date is missing, or all are the same, nothing can be said of the order.
    if len(dated) < len(wanted.options) or dated[0][0] == dated[-1][0]:
        return ""
    return dated[0 if earlier else -1][1]


def _is_about(reading: Reading, option: str) -> bool:
    # A question may use the last name alone, or a longer form than the title.
    title, name = text.words(reading.name), text.words(option)
    return bool(name) and (text.contains(title, name) or text.contains(name, title))


def _when(reading: Reading) -> tuple[int, int, int] | None:
    """Give the date in the sentence that says most of what is asked, of several the first."""
    order = sorted(range(len(reading.sentences)), key=lambda i: (-reading.masks[i].bit_count(), i))
    for place in order:
        for span in spans(reading.sentences[place].text, "date"):
            if year := _YEAR.search(span.text):
                month, day = _MONTH.search(span.text), _DAY.search(span.text)
                return int(year.group()), _MONTHS[month.group().lower()] if month else 0, int(day.group()) if day else 0
    return None
