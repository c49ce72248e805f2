"""Counts: how many rows of a table a question speaks of, where no text says the number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.answering.kinds import Expected
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence

_SURE = 0.45
"""A count of rows rests on what the question leaves unsaid; no set at hand says how often it is right."""


class Count(NamedTuple):
    """How many rows there are, how sure that is, and the rows."""

    text: str
    confidence: float
    sentences: tuple[AnswerSentence, ...]


def counted_rows(question: QuestionWords, wanted: Expected, readings: Sequence[ReadPassage]) -> Count | None:
    """Count the rows of one passage that have every name of the question; None where there are not several.

    The passage must be about what is counted: its title or heading, or the name of a column, has that noun.
    """
    names = [word for name, start, _ in text.capitalized_spans(question.text) if start for word in text.words(name)]
    mask = question.mask(text.stems(names))
    noun = set(text.stems([wanted.noun])) if wanted.noun else set()
    for reading in readings:
        about = {*reading.title_stems, *text.stems(text.words(reading.passage.heading))}
        rows = [
            sentence
            for sentence, has in zip(reading.sentences, reading.masks, strict=True)
            if SEPARATOR in sentence.text and mask and has & mask == mask and noun & {*about, *sentence.stems}
        ]
        if len(rows) > 1:
            said = (AnswerSentence.of(row.quoted(reading.passage.id), reading.passage, _SURE) for row in rows)
            return Count(str(len(rows)), _SURE, tuple(said))
    return None
