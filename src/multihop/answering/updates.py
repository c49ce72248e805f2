"""Prefers newer sources: "so we open on 17 May instead", says a later message than the one that announced 3 May."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from multihop import text
from multihop.answering.candidates import MESSAGE, THEN, YEAR, Candidate, candidate_of
from multihop.answering.conflicts import date_of
from multihop.answering.contexts import ContextPiece, ReaderContext, heading, only_asks
from multihop.answering.kinds import Expected, speaks_of_event
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.protocols import Reader, Verifier
from multihop.text.units import SEPARATOR

_OLDER = 0.2
"""Factor on the worth of what an older source says, if a question asks what holds now."""
_RIVAL = 0.4
"""If a question asks what holds now, a candidate gives way to one from a newer source with this share of its worth."""
_NOW = re.compile(
    r"\b(?:now(?:adays)?|today|current(?:ly)?|at (?:the moment|present)|these days|in the end|final(?:ly)?|eventually|"
    r"really|actually|in fact|still|latest|newest|any ?more|no longer)\b",
    re.IGNORECASE,
)
_MONTHS = 12
_UNITS = 6
"""Maximum number of newer units that are compared with an answer."""
_CONTRADICTED, _NONE = 0.5, 0.3
"""A newer unit replaces an answer if it contradicts the old one at least, and by itself gives no answer at most, with
this probability."""
_CORRECTION = re.compile(
    r"(?:^|[^\w\s]\s*|\b(?:an?|two|three|four|some|further) )corrections?\b"
    r"|\b(?:errat(?:a|um)|corrigend(?:a|um)|got wrong)\b",
    re.IGNORECASE,
)
"""In the title or heading of a source: it states what was wrong elsewhere, and needs to contradict nothing."""
_ANSWERS = 0.1
"""Maximum probability of no answer for a unit of a correction."""
_SENDER = re.compile(r"\W*\d[\d/.:, -]+(?:[ap]m)?\W+[^\W\d][^:]{0,40}: ", re.IGNORECASE)
"""Time and author of a chat message."""


def favor_newest(candidates: Sequence[Candidate], worth: Sequence[float], asked: str) -> list[float]:
    """In a question about now, penalize a candidate if a newer source has one that is about as likely."""
    if THEN.search(asked) or not _NOW.search(asked):
        return list(worth)
    days = [_day_of(candidate.passage, candidate.unit.text, years=True) for candidate in candidates]
    rivals = [(day, value) for day, value, c in zip(days, worth, candidates, strict=True) if day and c.agrees]
    return [
        value * (_OLDER if day and any(newer > day and other >= _RIVAL * value for newer, other in rivals) else 1.0)
        for day, value in zip(days, worth, strict=True)
    ]


def update(
    candidate: Candidate,
    question: QuestionWords,
    wanted: Expected,
    passages: Sequence[ReadPassage],
    reader: Reader,
    verifier: Verifier | None,
) -> Candidate | None:
    """Return the answer of a newer source that contradicts the candidate's, or is a correction.

    None in a question about the past.
    """
    day = _day_of(candidate.passage, candidate.unit.text)
    if verifier is None or not day or THEN.search(question.text):
        return None
    newer = list(_newer_units(day, question, passages))
    if not newer:
        return None
    said = _SENDER.sub("", candidate.unit.text)
    judged = verifier.verify(said, [_SENDER.sub("", each.text) for each in newer])
    for context, judgement in zip(newer, judged, strict=True):
        corrects = bool(_CORRECTION.search(heading(context.reading.passage)))
        if judgement.contradicted < _CONTRADICTED and not corrects:
            continue
        alone = reader.read(question.text, [context.text])
        if alone.none <= (_ANSWERS if corrects else _NONE) and alone.spans:
            other = candidate_of(alone.spans[0], context, wanted, question.text)
            if other.agrees and text.surface_key(other.text) not in ("", text.surface_key(candidate.text)):
                sure = 1.0 if corrects else judgement.contradicted
                return replace(other, probability=alone.spans[0].probability * sure)
    return None


def _newer_units(day: str, question: QuestionWords, passages: Sequence[ReadPassage]) -> Iterator[ReaderContext]:
    """Yield units of newer sources that share a word with the question, the newest first, each as a context."""
    years = set(YEAR.findall(question.text))
    found = [
        (newer, question.weight(mask), place, reading)
        for reading in passages
        for place, mask in enumerate(reading.masks)
        if mask and (newer := _day_of(reading, reading.sentences[place].text)) > day
        if not years or newer[:4] in years
        if _states(reading.sentences[place].text, question.text)
    ]
    best = sorted(found, key=lambda each: -each[1])[:_UNITS]
    for _, _, place, reading in sorted(best, key=lambda each: each[0], reverse=True):
        head = heading(reading.passage)
        said = reading.sentences[place].text.replace("\n", " ")
        yield ReaderContext(head + said, reading, (ContextPiece(len(head), place),))


def _states(unit: str, asked: str) -> bool:
    """Return whether a unit is a statement in prose; a row or the header of an email changes nothing."""
    return SEPARATOR not in unit and speaks_of_event(asked, unit) and not only_asks(unit, asked)


def _day_of(reading: ReadPassage, unit: str, *, years: bool = False) -> str:
    """Return the date of a source, if known: of the chat message, or else of the document, where a year may count."""
    if sent := MESSAGE.match(unit):
        if "-" in sent["day"]:
            return sent["day"]
        one, other, year = re.split(r"[/.]", sent["day"])
        day, month = (one, other) if int(other) <= _MONTHS else (other, one)
        return (
            f"{year:0>4}-{int(month):02}-{int(day):02}" if len(year) > 2 else f"20{year}-{int(month):02}-{int(day):02}"
        )
    return date_of(reading.passage, years=years)
