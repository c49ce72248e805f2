"""What speaks for a candidate: its channels, its words, and the sentences that link it to the first passages.

Overlap is weighed by rarity and relative to the question. The sentence in which one passage names another is read on
its own: "directed by X" beside "the director of" says that X is the next hop, whatever else the passage is about.
Sets of question words are bit masks, so that unions, differences and their weights cost next to nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from multihop import text
from multihop.protocols import Index
from multihop.types import Candidate, Passage
from multihop.types.channels import BM25, COMMON_NAME, DENSE, FOLLOW_UP, LINK, NAME, PART, PART_NAME, RARE_LINK
from multihop.units import unit_texts

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
"""So many of the first passages are read for links to and from a candidate."""
_EXPLAINING = 10
"""So many of the first passages are taken together to see which words of the question nobody else explains."""
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_COMPARISON = re.compile(r"\b(or|both|same|which (?:one|of)|older|younger|first|more|earlier|later)\b", re.IGNORECASE)
_SHORTEST_NAME = 3
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


class Question:
    """The words of a question, each with its share of the question's weight: rare words weigh most."""

    def __init__(self, question: str, frequencies: Mapping[str, int], size: int) -> None:
        self.text = question
        words = text.words(question)
        content = [stem for stem, word in zip(text.stems(words), words, strict=True) if word not in text.STOPWORDS]
        self.bits = {stem: place for place, stem in enumerate(dict.fromkeys(content))}
        raw = [math.log(1 + (size + 1) / (frequencies.get(stem, 0) + 0.5)) for stem in self.bits]
        total = sum(raw) or 1.0
        self.shares = [weight / total for weight in raw]
        self.everything = (1 << len(raw)) - 1
        self._phrases = [f" {one} {other} " for one, other in sorted(set(pairwise(content)))]
        self.numbers = frozenset(_NUMBER.findall(question))
        self.comparison = bool(_COMPARISON.search(question))
        self.lower = question.lower()
        self._weights = {0: 0.0}
        self._readings: dict[str, Reading] = {}

    def reading(self, passage: Passage) -> Reading:
        """Read a passage, once for all hops."""
        found = self._readings.get(passage.id)
        if found is None or found.passage is not passage:
            found = self._readings[passage.id] = Reading(passage, self)
        return found

    def mask(self, stems: Sequence[str]) -> int:
        """Say which words of the question are among these."""
        mask, bits = 0, self.bits
        for stem in stems:
            if stem in bits:
                mask |= 1 << bits[stem]
        return mask

    def phrased(self, sentences: Iterable[Sequence[str]]) -> float:
        """Give the share of the question's pairs of neighboring words that stand side by side in a sentence."""
        spoken = "".join([f" {' '.join(stems)} ." for stems in sentences])
        return sum([phrase in spoken for phrase in self._phrases]) / len(self._phrases) if self._phrases else 0.0

    def weight(self, mask: int) -> float:
        """Give the share of the question's weight that these words have."""
        if mask not in self._weights:
            self._weights[mask] = sum(share for place, share in enumerate(self.shares) if mask >> place & 1)
        return self._weights[mask]


def weighed(question: str, index: Index) -> Question:
    """Weigh the words of a question by how many passages use them; all alike where the index cannot say."""
    terms = list(dict.fromkeys(text.terms(question)))
    counts = index.terms.frequencies(terms) if index.terms is not None else [0] * len(terms)
    return Question(question, dict(zip(terms, counts, strict=True)), index.passages.size)


class Reading:
    """A passage as the question reads it: which of its words stand in which sentence."""

    __slots__ = (
        "lower", "mask", "masks", "name", "note", "passage", "phrased", "sentences", "title_mask", "title_stems",
    )  # fmt: skip

    def __init__(self, passage: Passage, question: Question) -> None:
        self.passage = passage
        bare = text.without_parentheses(passage.title) or passage.title
        self.lower = passage.text.lower()
        self.name = bare.lower()
        self.sentences = sentence_stems(passage.text)
        self.masks = [question.mask(stems) for _, stems in self.sentences]
        self.title_stems = _title_stems(bare)
        self.title_mask = question.mask(self.title_stems)
        self.note = question.mask(_title_stems(passage.title[len(bare) :])) if len(bare) < len(passage.title) else -1
        """Which words of the question stand in the parentheses of the title; -1 when it has none."""
        self.mask = reduce(or_, self.masks, self.title_mask)
        self.phrased = question.phrased(stems for _, stems in self.sentences)

    def naming(self, name: str) -> int:
        """Give the sentence that holds a name, or -1."""
        if len(name) < _SHORTEST_NAME or (at := text.find_name(self.lower, name)) < 0:
            return -1
        found = 0
        for place, (sentence, _) in enumerate(self.sentences):
            # The beginning is enough to find a sentence, and it is looked for behind the one before.
            start = self.passage.text.find(sentence[:30], found)
            if start > at:
                return max(0, place - 1)
            found = max(start, found)
        return max(0, len(self.sentences) - 1)

    def sharing(self, other: Reading) -> int:
        """Give the sentence that has most in common with the title and opening of another passage."""
        theirs = {s for s in (*other.title_stems, *(other.sentences[0][1] if other.sentences else ())) if len(s) > 3}
        shared = [len(theirs.intersection(stems)) for _, stems in self.sentences]
        return shared.index(max(shared)) if shared else 0

    def sentence_mask(self, place: int) -> int:
        return self.masks[place] if self.masks else 0


def describe(
    question: Question, ranked: Sequence[Ranked], names: Sequence[str], entities: int
) -> tuple[NDArray[np.float32], list[Linked], list[Reading]]:
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
        question: Question,
        ranked: Sequence[Ranked],
        readings: Sequence[Reading],
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
        found = candidate.scores
        stems = self.readings[place].title_stems
        named = found.get(NAME, 0.0)
        return [
            found.get(BM25, 0.0) / self.best_match,
            named if named == 1.0 else 0.0,
            named if named != 1.0 else 0.0,
            found.get(PART_NAME, 0.0),
            found.get(COMMON_NAME, 0.0),
            found.get(PART, 0.0),
            found.get(LINK, 0.0),
            found.get(RARE_LINK, 0.0),
            sum(s in self.question.bits for s in stems) / len(stems) if stems else 0.0,
            found.get(DENSE, 0.0),
            found.get(FOLLOW_UP, 0.0),
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
            sentence = source.naming(reading.name)
            if sentence < 0 or source.passage.document_id == reading.passage.document_id:
                continue
            indirect.discard(place_of)
            count += 1
            worth, said = self._told(source, sentence, reading, place_of)
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
            worth, said = self._told(source, sentence, reading, place_of)
            if worth * _INDIRECT > best:
                best, linked, told = worth * _INDIRECT, Linked(place_of, sentence), said
            rest = max(rest, self._rest(source, reading))
            together = max(together, question.weight(source.mask | reading.mask))
        return linked, named if named.source >= 0 else linked, [*told, count, rest, together]

    def _told(self, source: Reading, sentence: int, target: Reading, place: int) -> tuple[float, list[float]]:
        mask = source.sentence_mask(sentence)
        # The titles stand in such a sentence anyway; what counts is what is said of them.
        beside = self.question.weight(mask & ~target.title_mask & ~source.title_mask)
        whole = self.question.weight(mask)
        score = self.ranked[place].score / self.best
        return (beside + 0.3 * whole) * (0.3 + score), [beside, whole, score]

    def _rest(self, source: Reading, target: Reading) -> float:
        """Say how much of what a passage leaves open another one explains."""
        lacking = self.question.weight(self.question.everything & ~source.mask)
        return self.question.weight(target.mask & ~source.mask) / lacking if lacking else 0.0

    def of_text(self, place: int, linked: Linked) -> list[float]:
        question, reading = self.question, self.readings[place]
        passage, found = reading.passage, self.ranked[place].candidate.scores
        back, back_score, named = self._links_back(place)
        title = passage.title.lower()
        parentheses = 0.0 if reading.note < 0 else question.weight(reading.note) - (0.0 if reading.note else 0.1)
        return [
            back,
            back_score,
            named,
            reading.phrased,
            sum(n in passage.text for n in question.numbers) / len(question.numbers) if question.numbers else -1.0,
            sum(n in reading.lower or n in title for n in self.names) / len(self.names) if self.names else -1.0,
            math.log1p(len(passage.text)),
            parentheses,
            linked.sentence if linked.source >= 0 else -1,
            len(question.bits),
            self.entities,
            question.comparison,
            found[RARE_LINK] / found[LINK] if found.get(LINK) and RARE_LINK in found else -1.0,
            len(question.lower),
            len(reading.name) > _SHORTEST_NAME and reading.name in question.lower,
        ]

    def _links_back(self, place: int) -> tuple[float, float, int]:
        """Find the sentence of a candidate that names one of the first passages and says most of what is asked."""
        reading = self.readings[place]
        said, score, count = 0.0, 0.0, 0
        for place_of, first in enumerate(self.readings[:_FIRST]):
            if first.name not in reading.lower or place_of == place or (sentence := reading.naming(first.name)) < 0:
                continue
            count += 1
            mask = reading.sentence_mask(sentence) & ~reading.title_mask & ~first.title_mask
            beside, own = self.question.weight(mask), self.ranked[place_of].score / self.best
            if count == 1 or (beside + 0.01) * own > (said + 0.01) * score:
                said, score = beside, own
        return said, score, count


@lru_cache(maxsize=4096)
def sentence_stems(source: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Cut a text into units, each with the stems of its words; a passage is read again in every hop."""
    return tuple((s, tuple(text.stems(text.words(s)))) for s in unit_texts(source))


@lru_cache(maxsize=65_536)
def _title_stems(title: str) -> tuple[str, ...]:
    return tuple(text.stems(text.words(title)))
