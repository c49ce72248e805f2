"""Passages as a question reads them: sentence by sentence, with the words of the question that stand in each.

The selectors, the chain and the answer read the same passages by the same class, so that each is cut into sentences and
stemmed once. Sets of question words are bit masks, so that unions, differences and their weights cost next to nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

from multihop import text
from multihop.protocols import Index
from multihop.text.restatement import Span, cut_out, find_restatements
from multihop.text.units import units
from multihop.types import Passage, Quote

_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_COMPARISON = re.compile(r"\b(or|both|same|which (?:one|of)|older|younger|first|more|earlier|later)\b", re.IGNORECASE)
SHORTEST_NAME = 3


class Sentence(NamedTuple):
    """The position of a sentence in its passage, and the stems of its words."""

    text: str
    start: int
    end: int
    lower: str
    stems: tuple[str, ...]

    def quoted(self, passage_id: str) -> Quote:
        """Quote the sentence verbatim."""
        return Quote(passage_id, self.text, self.start, self.end)


@lru_cache(maxsize=4096)
def sentences_of(source: str) -> tuple[Sentence, ...]:
    """Cut a text into units: sentences, rows, list items. A passage is read again in every hop."""
    spans = [(start, end) for start, end, _ in units(source)]
    return tuple(
        [
            Sentence(said := source[start:end], start, end, said.lower(), tuple(text.stems(words)))
            for (start, end), words in zip(spans, text.words_within(source, spans), strict=True)
        ]
    )


class QuestionWords:
    """The words of a question, each with its share of the question's weight: rare words weigh most."""

    def __init__(self, question: str, frequencies: Mapping[str, int], size: int) -> None:
        self.text = question
        words = text.words(question)
        content = [stem for stem, word in zip(text.stems(words), words, strict=True) if word not in text.STOPWORDS]
        self.bits = {stem: place for place, stem in enumerate(dict.fromkeys(content))}
        self._stems = frozenset(self.bits)
        raw = [math.log(1 + (size + 1) / (frequencies.get(stem, 0) + 0.5)) for stem in self.bits]
        total = sum(raw) or 1.0
        self.shares = [weight / total for weight in raw]
        self.everything = (1 << len(raw)) - 1
        self._phrases = [(f" {one} {other} ", self.mask((one, other))) for one, other in sorted(set(pairwise(content)))]
        self.numbers = frozenset(_NUMBER.findall(question))
        self.comparison = bool(_COMPARISON.search(question))
        self.lower = question.lower()
        self._weights = {0: 0.0}
        self._readings: dict[str, ReadPassage] = {}

    def reading(self, passage: Passage) -> ReadPassage:
        """Read a passage, once for all hops."""
        cached = self._readings.get(passage.id)
        if cached is None or cached.passage is not passage:
            cached = self._readings[passage.id] = ReadPassage(passage, self)
        return cached

    def mask(self, stems: Sequence[str]) -> int:
        """Return which words of the question are among these."""
        mask = 0
        for stem in self._stems.intersection(stems):
            mask |= 1 << self.bits[stem]
        return mask

    def phrase_overlap(self, sentences: Iterable[Sequence[str]], masks: Sequence[int]) -> float:
        """Return the share of the question's pairs of neighboring words that stand side by side in a sentence.

        `masks` are the words of the question in each sentence: most have no two of them.
        """
        several = {mask for mask in masks if mask & (mask - 1)}
        possible = [p for p, both in self._phrases if not both & (both - 1) or any(both & ~m == 0 for m in several)]
        if not possible:
            return 0.0
        spoken = "".join([f" {' '.join(stems)} ." for stems in sentences])
        return sum([phrase in spoken for phrase in possible]) / len(self._phrases)

    def weight(self, mask: int) -> float:
        """Return the share of the question's weight that these words have."""
        if mask not in self._weights:
            self._weights[mask] = sum(share for place, share in enumerate(self.shares) if mask >> place & 1)
        return self._weights[mask]


def weigh_words(question: str, index: Index) -> QuestionWords:
    """Weigh the words of a question by how many passages use them; all alike where the index cannot say."""
    terms = list(dict.fromkeys(text.terms(question)))
    counts = index.terms.frequencies(terms) if index.terms is not None else [0] * len(terms)
    return QuestionWords(question, dict(zip(terms, counts, strict=True)), index.passages.size)


class ReadPassage:
    """A passage as the question reads it: which words of the question stand in which sentence, and in its title.

    A title counts without its parentheses, unless `whole_title` is set. `score` is that of the evidence.
    """

    __slots__ = (
        "_phrased", "_question", "lower", "mask", "masks", "name", "note", "passage", "score", "sentences",
        "text", "title_mask", "title_stems",
    )  # fmt: skip

    def __init__(
        self, passage: Passage, question: QuestionWords, *, score: float = 0.0, whole_title: bool = False
    ) -> None:
        self.passage, self.score = passage, score
        bare = text.without_parentheses(passage.title) or passage.title
        self.text, self.sentences = passage.text, sentences_of(passage.text)
        if spans := find_restatements(passage.text, question.text):
            self.text = cut_out(spans, passage.text)
            self.sentences = tuple(_without(sentence, spans) for sentence in self.sentences)
        self.lower = self.text.lower()
        self.name = bare.lower()
        self.masks = [question.mask(s.stems) for s in self.sentences]
        self.title_stems = _title_stems(passage.title if whole_title else bare)
        self.title_mask = question.mask(self.title_stems)
        self.note = question.mask(_title_stems(passage.title[len(bare) :])) if len(bare) < len(passage.title) else -1
        """Which words of the question stand in the parentheses of the title; -1 when it has none."""
        self.mask = reduce(or_, self.masks, self.title_mask)
        self._question, self._phrased = question, -1.0

    @property
    def phrase_overlap(self) -> float:
        """The share of the question's pairs of neighboring words that stand side by side in a sentence."""
        if self._phrased < 0:
            self._phrased = self._question.phrase_overlap((s.stems for s in self.sentences), self.masks)
        return self._phrased

    def naming(self, name: str) -> tuple[int, int] | None:
        """Return the first sentence that contains a name (in lower case, as whole words), and the position in it."""
        # One or two letters stand in too many texts by chance.
        if len(name) < SHORTEST_NAME:
            return None
        for place, sentence in enumerate(self.sentences):
            if (at := text.find_name(sentence.lower, name)) >= 0:
                return place, at
        return None

    def sentence_naming(self, name: str) -> int:
        """Return the sentence in which a name begins, also one that goes on in the next; -1 when there is none."""
        if len(name) < SHORTEST_NAME or (at := text.find_name(self.lower, name)) < 0:
            return -1
        # Rows of a table may begin alike, so where each stands is known and not looked for.
        return max(0, sum(sentence.start <= at for sentence in self.sentences) - 1)

    def sharing(self, other: ReadPassage) -> int:
        """Return the sentence that has most in common with the title and opening of another passage."""
        opening = other.sentences[0].stems if other.sentences else ()
        theirs = {stem for stem in (*other.title_stems, *opening) if len(stem) > 3}
        shared = [len(theirs.intersection(s.stems)) for s in self.sentences]
        return shared.index(max(shared)) if shared else 0

    def sentence_mask(self, place: int) -> int:
        return self.masks[place] if self.masks else 0


def _without(sentence: Sentence, spans: Sequence[Span]) -> Sentence:
    """Leave out of a sentence what asks the question again; it is still quoted whole."""
    said = cut_out(spans, sentence.text, sentence.start)
    return sentence._replace(lower=said.lower(), stems=tuple(text.stems(text.words(said))))


@lru_cache(maxsize=65_536)
def _title_stems(title: str) -> tuple[str, ...]:
    return tuple(text.stems(text.words(title)))
