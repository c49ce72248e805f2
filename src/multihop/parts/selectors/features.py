"""What speaks for a candidate: its channels, its words, and the sentences that link it to the first passages.

Overlap is weighed by rarity and relative to the question. The sentence in which one passage names another is read on
its own: "directed by X" beside "the director of" says that X is the next hop, whatever else the passage is about.
Sets of question words are bit masks, so that unions, differences and their weights cost next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from multihop.parts.selectors.reading import SHORTEST_NAME, QuestionWords, ReadPassage
from multihop.types import Candidate
from multihop.types.channels import BM25, COMMON_NAME, DENSE, FOLLOW_UP, LINK, NAME, PART, PART_NAME, RARE_LINK

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEATURES = (
    "match", "name", "shared name", "part name", "common name", "part", "link", "rare link", "title", "dense",
    "follow-up", "fusion", "fusion above fifth", "rank", "hop", "cover", "best sentence", "title cover", "opening",
    "explains alone", "link sentence", "whole link sentence", "link score", "links", "rest after link",
    "cover with link", "back sentence", "back score", "names first", "phrases", "numbers", "spans", "length",
    "parentheses", "link position", "question words", "question names", "comparison", "rarity of link",
    "question length", "title in question",
)  # fmt: skip
"""The columns of a description, in order."""
_FIRST = 12
"""The first passages that are read for links to and from a candidate."""
_EXPLAINING = 10
"""The first passages among which the words of the question that only one of them has are counted (unique coverage)."""
_INDIRECT = 0.8
"""What a link is worth whose name could not be found in the text, beside one that was."""


class Linked(NamedTuple):
    """By which passage a candidate is reached (its place among the described, -1 for none), and in which sentence."""

    source: int
    sentence: int


NOT_LINKED = Linked(-1, 0)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its place in a first ranking."""

    candidate: Candidate
    score: float


def describe(
    question: QuestionWords, ranked: Sequence[Ranked], names: Sequence[str], entities: int
) -> tuple[NDArray[np.float32], list[Linked], list[ReadPassage]]:
    """Describe candidates, best first, by `FEATURES`; say how each is linked, and give what was read of them.

    `names` are what the question names, other than numbers; `entities` counts everything it names.
    """
    if not ranked:
        return np.zeros((0, len(FEATURES)), np.float32), [], []
    readings = [question.reading(r.candidate.passage) for r in ranked]
    pool = _Pool(question, ranked, readings, [name.lower() for name in names], entities)
    rows, links = [], []
    for place in range(len(ranked)):
        linked, readable, of_links = pool.links_to(place)
        rows.append([*pool.of_channels(place), *pool.of_words(place), *of_links, *pool.of_text(place, linked)])
        links.append(readable)
    return np.array(rows, dtype=np.float32), links, readings


class _Pool:
    """The candidates of a question beside each other."""

    def __init__(
        self,
        question: QuestionWords,
        ranked: Sequence[Ranked],
        readings: Sequence[ReadPassage],
        names: Sequence[str],
        entities: int,
    ) -> None:
        self.question, self.ranked, self.readings = question, ranked, readings
        self.names, self.entities = names, entities
        self.best = max(r.score for r in ranked) or 1.0
        self.fifth = ranked[min(4, len(ranked) - 1)].score
        self.best_match = max(r.candidate.scores.get(BM25, 0.0) for r in ranked) or 1.0
        self.places = {r.candidate.passage.id: place for place, r in enumerate(ranked)}
        once = several = 0
        for reading in readings[:_EXPLAINING]:
            several |= once & reading.mask
            once |= reading.mask
        self.unexplained = question.everything & ~once
        self.explained_once = once & ~several

    def of_channels(self, place: int) -> list[float]:
        candidate, score = self.ranked[place].candidate, self.ranked[place].score
        scores = candidate.scores
        stems = self.readings[place].title_stems
        named = scores.get(NAME, 0.0)
        return [
            scores.get(BM25, 0.0) / self.best_match,
            named if named == 1.0 else 0.0,
            named if named != 1.0 else 0.0,
            scores.get(PART_NAME, 0.0),
            scores.get(COMMON_NAME, 0.0),
            scores.get(PART, 0.0),
            scores.get(LINK, 0.0),
            scores.get(RARE_LINK, 0.0),
            sum(s in self.question.bits for s in stems) / len(stems) if stems else 0.0,
            scores.get(DENSE, 0.0),
            scores.get(FOLLOW_UP, 0.0),
            score / self.best,
            (score - self.fifth) / self.best,
            math.log1p(place),
            candidate.hop,
        ]

    def of_words(self, place: int) -> list[float]:
        reading, weight = self.readings[place], self.question.weight
        alone = self.unexplained | (self.explained_once if place < _EXPLAINING else 0)
        return [
            weight(reading.mask),
            max(map(weight, reading.masks), default=0.0),
            weight(reading.title_mask),
            weight(reading.sentence_mask(0)),
            weight(reading.mask & alone),
        ]

    def links_to(self, place: int) -> tuple[Linked, Linked, list[float]]:
        """Find the sentence of the first passages that leads to a candidate and says most of what is asked.

        The second is the best that names the candidate, where there is one: what a reader should see.
        """
        question, reading = self.question, self.readings[place]
        via = self.ranked[place].candidate.via
        indirect = {self.places[v] for c in (LINK, RARE_LINK, FOLLOW_UP) if (v := via.get(c, "")) in self.places}
        best, linked, told = -1.0, NOT_LINKED, [0.0, 0.0, 0.0]
        named = NOT_LINKED
        count, rest, together = 0, 0.0, 0.0
        for place_of, source in enumerate(self.readings[:_FIRST]):
            # Few hold the name at all: asking for its letters first is what makes this loop fast.
            if reading.name not in source.lower or place_of == place:
                continue
            sentence = source.sentence_naming(reading.name)
            if sentence < 0 or source.passage.document_id == reading.passage.document_id:
                continue
            indirect.discard(place_of)
            count += 1
            worth, said = self._bridge_score(source, sentence, reading, place_of)
            if worth > best:
                best, linked, told = worth, Linked(place_of, sentence), said
                named = linked
            rest = max(rest, self._rest(source, reading))
            together = max(together, question.weight(source.mask | reading.mask))
        for place_of in sorted(indirect):
            source = self.readings[place_of]
            if place_of == place or (linked.source >= 0 and place_of >= _FIRST):
                continue
            count += place_of < _FIRST
            sentence = source.sharing(reading)
            worth, said = self._bridge_score(source, sentence, reading, place_of)
            if worth * _INDIRECT > best:
                best, linked, told = worth * _INDIRECT, Linked(place_of, sentence), said
            rest = max(rest, self._rest(source, reading))
            together = max(together, question.weight(source.mask | reading.mask))
        return linked, named if named.source >= 0 else linked, [*told, count, rest, together]

    def _bridge_score(
        self, source: ReadPassage, sentence: int, target: ReadPassage, place: int
    ) -> tuple[float, list[float]]:
        mask = source.sentence_mask(sentence)
        # The titles stand in such a sentence anyway; what counts is what is said of them.
        beside = self.question.weight(mask & ~target.title_mask & ~source.title_mask)
        whole = self.question.weight(mask)
        score = self.ranked[place].score / self.best
        return (beside + 0.3 * whole) * (0.3 + score), [beside, whole, score]

    def _rest(self, source: ReadPassage, target: ReadPassage) -> float:
        """Return how much of what a passage leaves open another one explains."""
        lacking = self.question.weight(self.question.everything & ~source.mask)
        return self.question.weight(target.mask & ~source.mask) / lacking if lacking else 0.0

    def of_text(self, place: int, linked: Linked) -> list[float]:
        question, reading = self.question, self.readings[place]
        passage, scores = reading.passage, self.ranked[place].candidate.scores
        back, back_score, named = self._links_back(place)
        title = passage.title.lower()
        parentheses = 0.0 if reading.note < 0 else question.weight(reading.note) - (0.0 if reading.note else 0.1)
        return [
            back,
            back_score,
            named,
            reading.phrase_overlap,
            sum(n in passage.text for n in question.numbers) / len(question.numbers) if question.numbers else -1.0,
            sum(n in reading.lower or n in title for n in self.names) / len(self.names) if self.names else -1.0,
            math.log1p(len(passage.text)),
            parentheses,
            linked.sentence if linked.source >= 0 else -1,
            len(question.bits),
            self.entities,
            question.comparison,
            scores[RARE_LINK] / scores[LINK] if scores.get(LINK) and RARE_LINK in scores else -1.0,
            len(question.lower),
            len(reading.name) > SHORTEST_NAME and reading.name in question.lower,
        ]

    def _links_back(self, place: int) -> tuple[float, float, int]:
        """Find the sentence of a candidate that names one of the first passages and says most of what is asked."""
        reading = self.readings[place]
        said, score, count = 0.0, 0.0, 0
        for place_of, first in enumerate(self.readings[:_FIRST]):
            if (
                first.name not in reading.lower
                or place_of == place
                or (sentence := reading.sentence_naming(first.name)) < 0
            ):
                continue
            count += 1
            mask = reading.sentence_mask(sentence) & ~reading.title_mask & ~first.title_mask
            beside, own = self.question.weight(mask), self.ranked[place_of].score / self.best
            if count == 1 or (beside + 0.01) * own > (said + 0.01) * score:
                said, score = beside, own
        return said, score, count
