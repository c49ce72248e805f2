"""Finds superseded documents: the rules of 2019 say nothing of what holds now if there are rules of 2024."""

from __future__ import annotations

import re
from collections.abc import Sequence

from multihop import text
from multihop.answering.conflicts import replaces
from multihop.answering.outcomes import PAST, PRESENT
from multihop.parts.selectors.reading import ReadPassage
from multihop.types import Passage
from multihop.types.dates import DATE, MONTH

_NOW = re.compile(
    r"\b(?:now(?:adays)?|today|current(?:ly)?|at (?:the moment|present)|present (?=[a-z])|these days|still|in force|"
    r"valid|latest|newest|any ?more)\b",
    re.IGNORECASE,
)
_THEN = re.compile(r"\b(?:was|were|had|did|until|before|former(?:ly)?|old|(?:1\d|20)\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY = re.compile(rf"{DATE}|\b{MONTH}\b", re.IGNORECASE)
"""A document of a day is the record of an event, not a version of another."""
_REPLACED = re.compile(
    r"\b(?:replaced|superseded|obsolete|outdated|repealed|no longer (?:valid|in force)|out of date|old version)\b",
    re.IGNORECASE,
)


def without_superseded(readings: Sequence[ReadPassage], claim: str) -> list[ReadPassage]:
    """Drop the passages of superseded documents if a claim is about the present.

    A newer version counts only for a claim that speaks of now: "under the present rules".
    """
    if _THEN.search(claim):
        return list(readings)
    passages = [reading.passage for reading in readings]
    old = {each.document_id for each in passages if _REPLACED.search(each.title)}
    old |= {each.document_id for each in passages if any(replaces(other, each) for other in passages)}
    if _NOW.search(claim):
        old |= {each.document_id for each in passages if any(_is_newer(other, each) for other in passages)}
    elif PAST.search(claim) and not PRESENT.search(claim):
        return list(readings)
    return [reading for reading in readings if reading.passage.document_id not in old]


def _is_newer(passage: Passage, other: Passage) -> bool:
    """Return whether a passage is from a later year's version of the same document."""
    newer, years = (_YEAR.findall(_name(each)) for each in (passage, other))
    return bool(years and newer) and max(years) < max(newer) and _kind(passage) == _kind(other) != ()


def _name(passage: Passage) -> str:
    """Return the title of a document, or its file name if only this has a year."""
    file = passage.document_id.rpartition("/")[2].replace("_", " ")
    return passage.title.replace("_", " ") if _YEAR.search(passage.title) else file


def _kind(passage: Passage) -> tuple[str, ...]:
    """Return the words of a name without years and suffix; nothing for the record of a day."""
    name = _name(passage)
    if _DAY.search(name):
        return ()
    words = text.words(re.sub(r"\.\w{2,4}$", "", _YEAR.sub(" ", name)))
    return tuple(text.stems(word for word in words if not word.isdigit()))
