"""Candidates that say nothing, whatever their title and their matches promise: stubs, squatters, bare questions."""

from __future__ import annotations

from collections.abc import Sequence

from multihop.parts.selectors.reading import ReadPassage

TITLES_DIFFER = 0.8
"""Where at least this share of the candidates' titles is distinct, a title identifies what it stands over."""
_TIMES_LESS = 3
"""A document that says so many times less than another one of its title is a stub …"""
_ENOUGH = 20
"""… unless it has so many words of its own."""


def find_empty(readings: Sequence[ReadPassage]) -> list[int]:
    """Find candidates that only ask, or hardly say anything under a title that another document fills.

    Where many passages share a title, as in a chat, a short one may well say something.
    """
    titles = [reading.passage.title.lower() for reading in readings]
    if len(set(titles)) < TITLES_DIFFER * len(titles):
        return []
    titled: dict[str, list[int]] = {}
    for place, title in enumerate(titles):
        titled.setdefault(title, []).append(place)
    stubs = [place for places in titled.values() if len(places) > 1 for place in _stubs(readings, places)]
    return sorted({*stubs, *(place for place, reading in enumerate(readings) if reading.only_asks)})


def _stubs(readings: Sequence[ReadPassage], places: Sequence[int]) -> list[int]:
    """Find the passages of one title that say hardly anything, beside another document that does."""
    said = {place: readings[place].count_words() for place in places}
    fullest = max(places, key=said.__getitem__)
    document = readings[fullest].passage.document_id
    enough = min(_ENOUGH, said[fullest] / _TIMES_LESS)
    return [p for p in places if said[p] < enough and readings[p].passage.document_id != document]
