"""Chooses the evidence for a claim that a verifier reads: single units, and units joined along the chain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.answering.contexts import (
    heading,
    is_of_another,
    mentions,
    names_of,
    only_asks,
    only_plans,
    only_supposes,
    order_by_chain,
    rows_of_others,
    times_in,
    unit_names,
)
from multihop.answering.corrections import is_retracted
from multihop.answering.outcomes import came_to_nothing, held_before, is_agreed, outcome_in
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Chain, Quote

_UNITS, _JOINED, _LONGEST = 10, ((3, 2), (4, 3)), 1500
"""Number of single units that are verified; joined evidence as (passages, units of each), and its maximum length."""

_QUOTED, _ADDS = 4, 0.1
"""Maximum number of units quoted from joined evidence, and the minimum share of the claim's words each of them adds."""

_PRONOUN = re.compile(r"\W*(?:he|she|it|they|this|these)\b", re.IGNORECASE)
_CALENDAR = frozenset(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)
_NEXT = 2
"""Number of units after another that may tell what became of it."""


class QuotedUnit(NamedTuple):
    """A unit of the evidence and its quote."""

    reading: ReadPassage
    quote: Quote

    def is_undone(self, claim: str) -> bool:
        """Return whether the claim was refused, never carried out or ended, by this unit and the next ones."""
        return came_to_nothing(self.quote.text, claim, self._after()) or held_before(self.quote.text, claim)

    def is_planned(self, claim: str) -> bool:
        """Return whether the unit only plans what the claim says has happened, and nothing says that it was agreed."""
        return only_plans(self.quote.text, claim) and not is_agreed(self.quote.text, self._after())

    def _after(self) -> list[str]:
        return [unit.text for unit in self.reading.sentences if unit.start >= self.quote.end][:_NEXT]


class VerifierInput(NamedTuple):
    """Evidence as a verifier gets it: a text, the units in it, and the share of the claim's words that it covers."""

    text: str
    units: tuple[QuotedUnit, ...]
    said: float
    named: float = 1.0
    """For a single unit: the share of the claim's names that its passage mentions. For joined units: 0 if its names are
    in passages that nothing connects, or else 1."""
    quoted: int = 1
    """How many of the units, from the first, each add to what those before it cover of the claim."""


def evidence_for(
    question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain, mask: int = -1
) -> list[VerifierInput]:
    """Choose the evidence for a claim: the units that cover most of it, best first, then joined units.

    `mask` restricts it to the words of one part of the claim.
    """
    whole = question.weight(question.everything & mask) or 1.0
    names = names_of(question.text)
    readings = [reading for reading in readings if not is_of_another(reading, names)]
    units = [
        (question.weight((has | reading.title_mask) & mask) / whole, place, number, reading)
        for place, reading in enumerate(readings)
        for others in (_irrelevant(question, reading),)
        for number, has in enumerate(reading.masks)
        # The title counts for every unit of its passage, but a unit must match by itself as well.
        if has & mask and number not in others
    ]
    best = sorted(units, key=lambda unit: (-unit[0], unit[1], unit[2]))[:_UNITS]
    single = [
        VerifierInput(
            _write_unit(question, reading, number, names), (_unit(reading, number),), said, _share_named(reading, names)
        )
        for said, _, number, reading in best
    ]
    return [*single, *_join_units(question, readings, chain, mask, whole)] if single else []


def _irrelevant(question: QuestionWords, reading: ReadPassage) -> set[int]:
    """Return the units that are no evidence: rows about something else, questions, and hypothetical sentences."""
    states_nothing = {
        place
        for place, unit in enumerate(reading.sentences)
        if only_asks(unit.text, question.text)
        or only_supposes(unit.text, question.text)
        or is_retracted(unit.text, reading)
    }
    return states_nothing | rows_of_others(reading, names_of(question.text), times_in(question.text))


def _share_named(reading: ReadPassage, names: Sequence[str]) -> float:
    said = f"{heading(reading.passage)}{reading.lower}".lower()
    # A variant of a name shares one of its words.
    return sum(mentions(said, name, share=0) for name in names) / len(names) if names else 1.0


def _join_units(
    question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain, mask: int, whole: float
) -> list[VerifierInput]:
    """Join the best units of the first passages, for claims of several hops: a short and a longer text."""
    along = order_by_chain(readings, chain)
    return [
        shown
        for passages, each in _JOINED
        if (shown := _concatenate(question, along[:passages], each, mask, whole)) and len(shown.units) > 1
    ]


def _concatenate(
    question: QuestionWords, readings: Sequence[ReadPassage], most: int, mask: int, whole: float
) -> VerifierInput:
    """Concatenate the best units of each passage, in reading order."""
    units, written, known = list[tuple[int, QuotedUnit]](), list[str](), list[set[str]]()
    for reading in readings:
        scores = [question.weight(each & mask) for each in reading.masks]
        planned = {
            i for i in range(len(reading.sentences))
            for quoted in (_unit(reading, i),)
            if quoted.is_planned(question.text) or quoted.is_undone(question.text)
        }  # fmt: skip
        others = _irrelevant(question, reading) | planned
        order = sorted((i for i in range(len(scores)) if i not in others), key=lambda i: (-scores[i], i))
        best = sorted(order[:most])
        units += [((reading.masks[i] | reading.title_mask) & mask, _unit(reading, i)) for i in best]
        known.append(_words_of_names([heading(reading.passage), *(reading.sentences[i].text for i in best)]))
        written.append(heading(reading.passage) + " ".join(" ".join(reading.sentences[i].text.split()) for i in best))
    # What adds most to the units before it comes first.
    ordered, covered, quoted = list[QuotedUnit](), 0, 0
    while units:
        adds, unit = max(units, key=lambda each: question.weight(each[0] & ~covered))
        units.remove((adds, unit))
        quoted += question.weight(adds & ~covered) >= _ADDS * whole
        covered |= adds
        ordered.append(unit)
    said = question.weight(covered) / whole
    linked = float(_is_linked(names_of(question.text), written, known))
    return VerifierInput(" ".join(written)[:_LONGEST], tuple(ordered), said, linked, min(max(1, quoted), _QUOTED))


def _words_of_names(texts: Sequence[str]) -> set[str]:
    return (
        {word for said in texts for name in unit_names(said) for word in text.words(name)} - _CALENDAR - text.STOPWORDS
    )


def _is_linked(names: Sequence[str], texts: Sequence[str], known: Sequence[set[str]]) -> bool:
    """Return whether texts that mention the names of a claim share names, which are `known` for each of them.

    Otherwise each may tell of one name, and none of both: a visit to a factory, and a certificate of somebody else.
    """
    having = [{place for place, said in enumerate(texts) if mentions(said.lower(), name)} for name in names]
    having = [places for places in having if places]
    groups: list[tuple[set[int], set[str]]] = []
    for place, own in enumerate(known):
        places, shared = {place}, set(own)
        for group in [group for group in groups if group[1] & own]:
            groups.remove(group)
            places, shared = places | group[0], shared | group[1]
        groups.append((places, shared))
    return not having or any(all(places & each for each in having) for places, _ in groups)


def _write_unit(question: QuestionWords, reading: ReadPassage, number: int, names: Sequence[str]) -> str:
    """Write a unit with its heading: a motion with its outcome, a unit that begins with a pronoun after the one before.

    A heading with a name of the claim tells what the pronoun stands for.
    """
    head, told = heading(reading.passage), _motion(reading, number)
    if not told and number and _PRONOUN.match(reading.sentences[number].text):
        is_named = any(mentions(head.lower(), name) for name in names)
        alone = is_named or number - 1 in _irrelevant(question, reading)
        told = [] if alone else [reading.sentences[number - 1].text, reading.sentences[number].text]
    said = " ".join(told or [reading.sentences[number].text])
    return f"{head}{' '.join(said.split())}"


def _motion(reading: ReadPassage, number: int) -> list[str]:
    """Return the motion that a unit makes, or whose outcome it tells, with its outcome; empty for other units."""
    units = [unit.text for unit in reading.sentences]
    for first in range(number, max(-1, number - 1 - _NEXT), -1):
        outcome = outcome_in(units[first], units[first + 1 : first + 1 + _NEXT])
        if outcome and (first == number or units[number] in outcome):
            return [units[first], *outcome]
    return []


def _unit(reading: ReadPassage, number: int) -> QuotedUnit:
    return QuotedUnit(reading, reading.sentences[number].quoted(reading.passage.id))
