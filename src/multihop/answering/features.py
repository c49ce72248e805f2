"""What speaks for a sentence as the answer: its words, its passage, its links, and what it holds of the kind asked for.

The columns are read by boosted trees, which `training/answers.py` fits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.answering.kinds import KINDS, Expected, Span, is_asked, spans
from multihop.answering.topics import topics_of
from multihop.parts.selectors.reading import Question, Reading
from multihop.types import Chain

# The trees were fitted on these columns in this order: another one means training them anew.
OF_PASSAGE = (
    "rank", "relative score", "score", "score gap", "sentences", "passage cover", "title cover", "title in question",
    "links", "link words", "link score", "kind", "unknown words", "evidence cover", "question words", "option",
    "reached by the first", "rest", "depth in chain", "end of chain",
)  # fmt: skip
OF_SENTENCE = (
    "position", "length", "cover", "cover with title", "cover beside title", "share of passage", "share of best",
    "only here", "common words", "capital words", "first words", "last words", "phrases", "noun", "candidates",
    "new candidates", "votes", "candidate is a title", "distance", "noun distance", "own name", "names others",
    "names asked", "neighbor", "before", "pronoun", "cover with link", "related",
    "leads on", "leads to the end",
)  # fmt: skip
FEATURES = OF_PASSAGE + OF_SENTENCE
"""The columns of a description, in order."""
_FIRST = 8
"""So many of the first passages are read for links to others."""
_FAR = 30.0
_PRONOUNS = frozenset("he she it they his her its their".split())


class Candidate(NamedTuple):
    """A sentence by the place of its passage and its place in it, with what could be an answer in it."""

    passage: int
    sentence: int
    spans: tuple[Span, ...]


def describe(
    question: Question, asked: str, expected: Expected, readings: Sequence[Reading], chain: Chain
) -> tuple[NDArray[np.float32], list[Candidate]]:
    """Describe every sentence of the evidence by `FEATURES`; rows and candidates are in reading order."""
    table = _Table(question, asked, expected, readings, chain)
    rows: list[list[float]] = []
    candidates: list[Candidate] = []
    for place, reading in enumerate(readings):
        of_passage = table.of_passage(place)
        for number in range(len(reading.sentences)):
            rows.append([*of_passage, *table.of_sentence(place, number)])
            candidates.append(Candidate(place, number, table.new_spans[place][number]))
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(FEATURES)), candidates


class _Asked:
    """The parts of a question that are compared with every sentence."""

    def __init__(self, question: Question, asked: str, expected: Expected) -> None:
        located = text.located_words(asked)
        stems = text.stems([word for word, _, _ in located])
        content = [(s, at) for s, (w, at, _) in zip(stems, located, strict=True) if w not in text.STOPWORDS]
        # The first word of a question is written large, whatever it is.
        capital = [stem for stem, at in content if at and asked[at].isupper()]
        third = max(1, len(content) // 3)
        self.common = question.mask([stem for stem, _ in content if stem not in capital])
        self.capital = question.mask(capital)
        self.first = question.mask([stem for stem, _ in content[:third]])
        self.last = question.mask([stem for stem, _ in content[-third:]])
        self.noun = text.stems([expected.noun])[0] if expected.noun else ""
        self.options = [option.lower() for option in expected.options]
        self.lower = asked.lower()
        self.kind = float(KINDS.index(expected.kind))


class _Places:
    """Where passages and sentences stand in the chain."""

    def __init__(self, chain: Chain) -> None:
        self.depths: dict[str, int] = {}
        for link in chain.links:
            self.depths[link.target] = self.depths[link.source] + 1 if link.source else 0
        self.ends = set(self.depths) - {link.source for link in chain.links}
        inside = [link for link in chain.links if link.source]
        self.leading = {(link.quote.passage_id, link.quote.start) for link in inside}
        ending = [link for link in inside if link.target in self.ends]
        self.leading_to_end = {(link.quote.passage_id, link.quote.start) for link in ending}


class _Table:
    """The sentences of the evidence beside each other."""

    def __init__(
        self, question: Question, asked: str, expected: Expected, readings: Sequence[Reading], chain: Chain
    ) -> None:
        self.question, self.readings = question, readings
        self.places = _Places(chain)
        self.weight = question.weight
        self.asked = _Asked(question, asked, expected)
        self.topics = topics_of(text.stems(text.words(asked)))
        self.best = max((r.score for r in readings), default=0.0) or 1.0
        self.names = [r.name for r in readings]
        self.named = [len(n) > 2 and text.find_name(self.asked.lower, n) >= 0 for n in self.names]
        self.links = [self._links_to(place) for place in range(len(readings))]
        found = [[spans(s.text, expected.kind) for s in r.sentences] for r in readings]
        self.new_spans = [[tuple(s for s in of if not is_asked(s.text, asked)) for of in passage] for passage in found]
        self.count = [[len(of) for of in passage] for passage in found]
        keys = [{text.surface_key(s.text) for of in passage for s in of} for passage in self.new_spans]
        self.votes = Counter(key for of in keys for key in of)
        self.titles = {text.surface_key(name) for name in self.names}
        once = several = 0
        for reading in readings[:_FIRST]:
            several |= once & reading.mask
            once |= reading.mask
        self.explained, self.once = once, once & ~several
        self.top = max((self.weight(m) for r in readings for m in r.masks), default=0.0) or 1.0

    def _links_to(self, place: int) -> tuple[int, float, float, int]:
        """Count the first passages that name this one, and weigh the best sentence that does; give its words, too."""
        name, count, words, score, mask = self.names[place], 0, 0.0, 0.0, 0
        target = self.readings[place]
        for other, reading in enumerate(self.readings[:_FIRST]):
            if other == place or reading.passage.document_id == target.passage.document_id:
                continue
            if (found := reading.naming(name)) is None:
                continue
            count += 1
            said = reading.masks[found[0]]
            beside = self.weight(said & ~reading.title_mask & ~target.title_mask)
            if count == 1 or beside > words:
                words, score, mask = beside, reading.score / self.best, said
        return count, words, score, mask

    def of_passage(self, place: int) -> list[float]:
        reading = self.readings[place]
        score = reading.score
        following = self.readings[place + 1].score if place + 1 < len(self.readings) else 0.0
        count, words, strength, _ = self.links[place]
        others = reduce(or_, (each.mask for other, each in enumerate(self.readings[:3]) if other != place), 0)
        return [
            math.log1p(place),
            score / self.best,
            min(score, 1.0),
            (score - following) / self.best,
            len(reading.sentences),
            self.weight(reading.mask),
            self.weight(reading.title_mask),
            self.named[place],
            count,
            words,
            strength,
            self.asked.kind,
            1 - self.weight(self.explained),
            self.weight(self.explained),
            len(self.question.bits),
            self._option(reading.name),
            self.readings[0].naming(reading.name) is not None,
            self.weight(reading.mask & ~others),
            self.places.depths.get(reading.passage.id, -1),
            reading.passage.id in self.places.ends,
        ]

    def _option(self, name: str) -> float:
        # -1 tells what cannot be compared from what does not agree; trees can part the two.
        if not self.asked.options:
            return -1.0
        return float(any(name in option or option in name for option in self.asked.options))

    def of_sentence(self, place: int, number: int) -> list[float]:
        reading, weight = self.readings[place], self.weight
        sentence, mask = reading.sentences[number], reading.masks[number]
        found = self.new_spans[place][number]
        lower = sentence.lower
        before = reading.masks[number - 1] if number else 0
        after = reading.masks[number + 1] if number + 1 < len(reading.masks) else 0
        keys = [text.surface_key(span.text) for span in found]
        first = lower.split(" ", 1)[0]
        return [
            number,
            math.log1p(len(sentence.stems)),
            weight(mask),
            weight(mask | reading.title_mask),
            weight(mask & ~reading.title_mask),
            weight(mask) / (weight(reading.mask) or 1.0),
            weight(mask) / self.top,
            weight(mask & self.once),
            weight(mask & self.asked.common),
            weight(mask & self.asked.capital),
            weight(mask & self.asked.first),
            weight(mask & self.asked.last),
            self.question.phrased([sentence.stems]),
            self.asked.noun in sentence.stems if self.asked.noun else -1.0,
            self.count[place][number],
            len(found),
            max((self.votes[key] for key in keys), default=0),
            any(key in self.titles for key in keys),
            self._distance(sentence.stems, found),
            self._noun_distance(lower, found),
            text.find_name(lower, reading.name) >= 0,
            self._others(place, lower, False),
            self._others(place, lower, True),
            weight(mask | after) - weight(mask),
            weight(mask | before) - weight(mask),
            first in _PRONOUNS,
            weight(mask | reading.title_mask | self.links[place][3]),
            self._related(sentence.stems),
            (reading.passage.id, sentence.start) in self.places.leading,
            (reading.passage.id, sentence.start) in self.places.leading_to_end,
        ]

    def _related(self, stems: Sequence[str]) -> float:
        """Say which share of what the question asks about a sentence speaks of, in the same words or in others."""
        if not self.topics:
            return -1.0
        return len(self.topics & topics_of(stems)) / len(self.topics)

    def _others(self, place: int, lower: str, asked: bool) -> int:
        """Count the other first passages that a sentence names: those that the question names too, or the others."""
        first = [other for other in range(min(_FIRST, len(self.names))) if other != place]
        return sum(self.named[other] == asked and text.find_name(lower, self.names[other]) >= 0 for other in first)

    def _distance(self, stems: Sequence[str], found: Sequence[Span]) -> float:
        """How many words lie between a possible answer and the nearest word of the question."""
        asked = [place for place, stem in enumerate(stems) if stem in self.question.bits]
        firsts = {stem for span in found for stem in text.stems(text.words(span.text)[:1])}
        answers = [place for place, stem in enumerate(stems) if stem in firsts]
        if not asked or not answers:
            return _FAR
        return min(_FAR, min(abs(one - other) for one in asked for other in answers))

    def _noun_distance(self, lower: str, found: Sequence[Span]) -> float:
        # Six letters are about a word, so this distance has the scale of the other.
        at = lower.find(self.asked.noun) if self.asked.noun else -1
        return min(_FAR, min(abs(at - span.start) for span in found) / 6) if at >= 0 and found else _FAR
