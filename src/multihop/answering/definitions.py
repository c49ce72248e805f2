"""Answers "Who was Colin Archer?" and "What is …?" from the document about it, rather than with a name nearby."""

from __future__ import annotations

import re
from collections.abc import Sequence

from multihop import text
from multihop.answering.candidates import ExtractiveAnswer
from multihop.answering.conflicts import UNSETTLED
from multihop.parts.selectors.reading import ReadPassage, Sentence
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Quote

_ASKED = re.compile(
    r"\W*(?:who|what)(?:[’']s| is| was| are| were) (?:(?:an?|the) )?(?P<name>[^?]{2,60}?)\s*\?*\s*", re.IGNORECASE
)
_DEFINES = re.compile(
    r".{0,120}?\b(?:is|was|are|were) (?P<said>(?:an?|the|one of the) .+?)"
    r"(?=[,;:]|\.?$|\s+(?:who|whom|whose|that|which|where|when|and (?:is|was|are|were|has|had))\b)"
)
_PRONOUN = re.compile(r"(?:he|she|it|they|this)\b", re.IGNORECASE)
_DEFINED, _OPENING = 0.8, 0.5
"""Confidence in a sentence "X is a …", and in the first sentence of the document about X."""
_LONGEST = 240


def define(asked: str, readings: Sequence[ReadPassage]) -> ExtractiveAnswer | None:
    """Define something that has its own document; None for other questions."""
    question = _ASKED.fullmatch(asked)
    if question is None:
        return None
    key = text.surface_key(question["name"])
    own = sorted((r for r in readings if _key(r.name) == key), key=lambda reading: reading.passage.position)
    prose = [(reading, unit) for reading in own for unit in reading.sentences if SEPARATOR not in unit.text]
    for reading, unit in prose:
        said = _DEFINES.match(unit.text) if _is_about(unit, key) else None
        if said:
            # With two documents of one name, either may be about something else, or made up.
            sure = _DEFINED if len({r.passage.document_id for r in own}) == 1 else UNSETTLED
            return _definition(said["said"], sure, reading, unit, said.start("said"))
    for reading, unit in prose[:1] if question["name"][:1].isupper() else ():
        if len(unit.text) <= _LONGEST and text.find_name(unit.lower, question["name"].lower()) >= 0:
            return _definition(unit.text, _OPENING, reading, unit, 0)
    return None


def _key(name: str) -> str:
    return text.surface_key(re.sub(r"^(?:the|an?) ", "", name))


def _is_about(unit: Sentence, key: str) -> bool:
    """Return whether a sentence begins with the name, its last word, or a pronoun."""
    names = (f"{key} ", f"{key.rpartition(' ')[2]} ")
    return bool(_PRONOUN.match(unit.text)) or _key(unit.lower).startswith(names)


def _definition(said: str, sure: float, reading: ReadPassage, unit: Sentence, at: int) -> ExtractiveAnswer:
    passage = reading.passage
    start = unit.start + at
    answer = Quote(passage.id, said, start, start + len(said))
    return ExtractiveAnswer(
        " ".join(said.split()), sure, (AnswerSentence.of(unit.quoted(passage.id), passage, sure, answer),)
    )
