"""What speaks for a stretch of a sentence as the answer itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.answering.features import Candidate
from multihop.answering.kinds import KINDS, Expected, Kind, Span, is_asked, spans
from multihop.parts.selectors.reading import Question, Reading, Sentence

FEATURES = (
    "sentence", "order", "kind", "found as", "own title", "title", "linked title", "start", "end", "words", "distance",
    "distance before", "noun", "noun before", "words near", "votes", "in question", "parentheses", "quoted", "first",
    "capital", "option", "year",
)  # fmt: skip
"""The columns of a description, in order."""
_SENTENCES = 4
"""So many of the best sentences are searched for the answer."""
_FAR = 20
_NEAR = 5


class Found(NamedTuple):
    """A stretch of a sentence that could be the answer, by the place of its sentence among the best."""

    sentence: int
    span: Span


def describe_spans(
    question: Question,
    asked: str,
    expected: Expected,
    readings: Sequence[Reading],
    best: Sequence[tuple[Candidate, float]],
) -> tuple[NDArray[np.float32], list[Found]]:
    """Describe what could be the answer in the best sentences by `FEATURES`; `best` has them with their chances."""
    rows: list[list[float]] = []
    lower = asked.lower()
    titles = {text.surface_key(r.name) for r in readings}
    met = [
        (place, span, kind)
        for place, (c, _) in enumerate(best[:_SENTENCES])
        for span, kind in _spans(c, readings, expected)
    ]
    votes = Counter(text.surface_key(span.text) for _, span, _ in met)
    for place, span, kind in met:
        candidate, chance = best[place]
        reading = readings[candidate.passage]
        sentence = reading.sentences[candidate.sentence]
        key = text.surface_key(span.text)
        rows.append(
            [
                chance, place, KINDS.index(expected.kind), KINDS.index(kind), key == text.surface_key(reading.name),
                key in titles, text.find_name(lower, reading.name) >= 0,
                *_placed(question, expected, sentence, span),
                votes[key], is_asked(span.text, asked),
                *_shape(sentence, span),
                any(key in text.surface_key(o) or text.surface_key(o) in key for o in expected.options),
                len(key) == 4 and key.isdigit(),
            ]
        )  # fmt: skip
    found = [Found(place, span) for place, span, _ in met]
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(FEATURES)), found


def _spans(candidate: Candidate, readings: Sequence[Reading], expected: Expected) -> list[tuple[Span, Kind]]:
    sentence = readings[candidate.passage].sentences[candidate.sentence].text
    kinds: tuple[Kind, ...] = ("name", "date", "number")
    if expected.kind in ("date", "number"):
        kinds = (expected.kind,)
    elif expected.kind in ("person", "place", "one of several"):
        kinds = ("name",)
    return [(span, kind) for kind in kinds for span in spans(sentence, kind)]


def _placed(question: Question, expected: Expected, sentence: Sentence, span: Span) -> list[float]:
    before = len(text.words(sentence.text[: span.start]))
    inside = len(text.words(span.text)) or 1
    asked = [i for i, stem in enumerate(sentence.stems) if stem in question.bits]
    noun = text.stems([expected.noun])[0] if expected.noun else ""
    nouns = [i for i, stem in enumerate(sentence.stems) if noun and stem == noun]
    end = before + inside
    # A word of the question inside the span is no neighbor of it.
    outside = [i for i in asked if not before <= i < end]
    nearest, noun_at = (
        min(places, key=lambda i: min(abs(i - before), abs(i - end + 1)), default=None) for places in (outside, nouns)
    )
    near = question.mask(sentence.stems[max(0, before - _NEAR) : before] + sentence.stems[end : end + _NEAR])
    return [
        before,
        len(sentence.stems) - end,
        inside,
        _apart(nearest, before, end),
        nearest is not None and nearest < before,
        _apart(noun_at, before, end),
        noun_at is not None and noun_at < before,
        question.weight(near),
    ]


def _apart(place: int | None, before: int, end: int) -> float:
    return _FAR if place is None else min(_FAR, before - place if place < before else max(0, place - end + 1))


def _shape(sentence: Sentence, span: Span) -> list[float]:
    opened = sentence.text.rfind("(", 0, span.start)
    inside = opened >= 0 and sentence.text.find(")", opened, span.start) < 0
    quoted = sentence.text[max(0, span.start - 1) : span.start] in ('"', "“")
    return [inside, quoted, span.start == 0, span.text[:1].isupper()]
