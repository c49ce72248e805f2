"""Finds statements that their own source takes back: "We wrote that the bridge was built in 1871." in a correction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from multihop.answering.candidates import Candidate
from multihop.answering.contexts import heading
from multihop.answering.kinds import Expected, Kind, agrees, spans
from multihop.parts.selectors.reading import ReadPassage, Sentence
from multihop.text import find_name
from multihop.types import Quote

_NEXT = 2
"""Number of sentences after a retracted one that may correct it."""
_REPORTED = re.compile(
    r"(?<!\bas )\b(?:we|I|our (?:\w+ )?(?:article|report|story|obituary|notice|issue|table|letter|list|notes?)|"
    r"the (?:\w+ )?(?:article|report|story|notice|issue|table|list)) "
    r"(?:had |have |has |wrongly |incorrectly |mistakenly |also )*"
    r"(?:wrote|written|said|reported|stated|printed|gave|given|named|claimed|called|told you)\b",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"\b(?:correct(?:ion|ions|ed|s|ly)|corrigend\w+|errat\w+|apologi\w+|sorry|mistakes?|mistaken\w*|errors?|wrong(?:ly)?|"
    r"incorrect(?:ly)?|should (?:have (?:said|read|been)|read)|in fact|regret)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|nor|instead of|rather than)\s+(?:(?!only\b|later\b|more\b|less\b)\w+\s+){0,2}$", re.I
)
"""Before what is not so: "never down the", "and not"."""
_NEGATIVE = re.compile(r"\b(?:not|never|nor|no|without|instead|rather)\b|n[’']t\b", re.IGNORECASE)


def is_retracted(unit: str, passage: ReadPassage) -> bool:
    """Return whether a unit only reports what was said before, in a passage that corrects it."""
    if not _REPORTED.search(unit):
        return False
    return bool(_CORRECTING.search(f"{heading(passage.passage)}{passage.passage.text}"))


def correct(candidate: Candidate, wanted: Expected, passages: Sequence[ReadPassage]) -> Candidate:
    """Return what a correction gives instead of a candidate, or the candidate if nothing takes it back."""
    kind: Kind = "number" if any(letter.isdigit() for letter in candidate.text) else "person"
    if wanted.kind in ("number", "date"):
        kind = wanted.kind
    for reading, wrong, unit in _corrections(candidate, passages):
        for span in spans(unit.text, kind):
            if not _says(wrong, span.text) and agrees(span.text, wanted):
                quote, start = unit.quoted(reading.passage.id), unit.start + span.start
                answer = Quote(quote.passage_id, span.text, start, start + len(span.text))
                return replace(candidate, text=span.text, passage=reading, unit=quote, answer=answer, agrees=True)
    return candidate


def _corrections(
    candidate: Candidate, passages: Sequence[ReadPassage]
) -> Iterator[tuple[ReadPassage, Sentence, Sentence]]:
    """Yield each unit that takes a candidate back, with each of those around it that may correct it."""
    for reading in passages:
        for place, unit in enumerate(reading.sentences):
            if (
                _says(unit, candidate.text)
                and is_retracted(unit.text, reading)
                and _is_as_close(reading, place, candidate)
            ):
                around = (*reading.sentences[place + 1 : place + 1 + _NEXT], *reading.sentences[place - 1 : place])
                yield from ((reading, unit, other) for other in around)


def _is_as_close(reading: ReadPassage, place: int, candidate: Candidate) -> bool:
    """Return whether a unit and its neighbors have more than half as much of the question as the unit of a candidate.

    Who won one class is not corrected by what another document wrongly said of another class.
    """
    own = next(
        (mask for unit, mask in zip(candidate.passage.sentences, candidate.passage.masks, strict=True)
         if unit.start == candidate.unit.start), 0
    )  # fmt: skip
    around = reduce(or_, reading.masks[max(0, place - 1) : place + 1 + _NEXT])
    is_same = reading.passage.id == candidate.passage.passage.id
    return is_same or 2 * (around | reading.title_mask).bit_count() > (own | candidate.passage.title_mask).bit_count()


def _says(unit: Sentence, said: str) -> bool:
    return find_name(unit.lower, said.lower()) >= 0


def denies(candidate: Candidate, asked: str) -> bool:
    """Return whether the unit of a candidate denies it, and the question does not: "on 22 June, and not 29 June"."""
    if candidate.answer is None or _NEGATIVE.search(asked):
        return False
    return bool(_DENIED.search(candidate.unit.text[: candidate.answer.start - candidate.unit.start]))
