"""The fuzzy signal: phrases found roughly, word by word, with the edit similarity of rapidfuzz.

A phrase of n words is compared with every n neighboring content words of a passage. Two words are as similar as their
normalized edit similarity, or not at all below the threshold; a phrase is worth the mean of its words, or nothing below
the threshold; the best place counts. Since a word of the vocabulary is compared once, wherever it stands, and only
places that hold a similar word are looked at, this is exact and does not look at every passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.errors import needs_extra
from multihop.profiles.signals.corpus import SignalCorpus, content_words
from multihop.profiles.values import Phrase

Signal = NDArray[np.float64]

LONGEST_PHRASE = 8
OWN_BOOST = 0.3
"""What a phrase of the question itself is worth."""
_PLACEHOLDERS = {"{number}": "numbers", "{year}": "years"}
_CACHED, _CACHED_WORDS = 16_384, 1_000_000
"""Words that are cached, counted once for each block, and the words that they are similar to, of 8 bytes each."""
_AT_ONCE = 16
"""Words that are compared with the whole vocabulary at a time."""


class Sought(NamedTuple):
    """A phrase as it is looked for: its content words (or placeholders), and what finding it is worth."""

    words: tuple[str, ...]
    boost: float


class Similar(NamedTuple):
    """The words of a block that are similar to one word, and how similar they are."""

    words: NDArray[np.int32]
    similarity: NDArray[np.float32]


class Standing(NamedTuple):
    """Where words similar to one word stand in a block, and how similar they are."""

    places: NDArray[np.int32]
    similarity: NDArray[np.float32]


def compile_phrases(phrases: Sequence[Phrase]) -> list[Sought]:
    """Turn phrases into what is looked for; the same words are looked for once, at their highest boost."""
    best: dict[tuple[str, ...], float] = {}
    for phrase in phrases:
        parts = ([part] if part in _PLACEHOLDERS else content_words(part) for part in phrase.text.split())
        if words := tuple(chain.from_iterable(parts))[:LONGEST_PHRASE]:
            best[words] = max(best.get(words, 0.0), phrase.boost)
    return [Sought(words, boost) for words, boost in best.items()]


def phrases_of(question: str) -> list[Phrase]:
    """The phrases of a question: up to three words each, between its stopwords."""
    runs: list[list[str]] = [[]]
    for word in text.words(question):
        if word in text.STOPWORDS or word in text.ASKING:
            runs.append([])
        else:
            runs[-1].append(word)
    pieces = [run[i : i + 3] for run in runs for i in range(0, len(run), 3)]
    return [Phrase(" ".join(piece), OWN_BOOST) for piece in pieces if piece]


@dataclass(frozen=True, slots=True)
class FuzzyIndex:
    """Looks for phrases in blocks of passages; caches the words that were looked for before."""

    known: dict[tuple[int, str, float], Similar]

    def score(self, number: int, corpus: SignalCorpus, phrases: Sequence[Sought], threshold: float) -> Signal:
        """Score every passage of a block: 1 − Π (1 − boost · similarity) over the phrases."""
        similar = self._similar(number, corpus, {w for p in phrases for w in p.words}, threshold)
        known = {word: _standing(corpus, matches) for word, matches in similar.items()}
        left = np.ones(len(corpus))
        # One array for all phrases, which leave it as they found it: clearing it whole would cost more than they do.
        total = np.zeros(len(corpus.tokens))
        for phrase in phrases:
            left *= 1.0 - phrase.boost * _best(corpus, [known[w] for w in phrase.words], threshold, total)
        return 1.0 - left

    def _similar(self, number: int, corpus: SignalCorpus, words: set[str], threshold: float) -> dict[str, Similar]:
        matches = {w: known for w in words if (known := self.known.get((number, w, threshold))) is not None}
        new = sorted(words - matches.keys())
        for word in _PLACEHOLDERS.keys() & new:
            places = getattr(corpus, _PLACEHOLDERS[word]).copy()
            matches[word] = Similar(places, np.ones(len(places), dtype=np.float32))
        plain = [w for w in new if w not in _PLACEHOLDERS]
        vocabulary = corpus.words.all() if plain else []
        for some in (plain[at : at + _AT_ONCE] for at in range(0, len(plain), _AT_ONCE)):
            for word, row in zip(some, similarities(some, vocabulary, threshold), strict=True):
                alike = np.flatnonzero(row).astype(np.int32)
                matches[word] = Similar(alike, row[alike])
        held = sum(len(s.words) for s in self.known.values()) + sum(len(matches[w].words) for w in new)
        if len(self.known) + len(new) > _CACHED or held > _CACHED_WORDS:
            self.known.clear()
        self.known.update({(number, w, threshold): matches[w] for w in new})
        return matches


def _standing(corpus: SignalCorpus, similar: Similar) -> Standing:
    """Find where similar words stand."""
    return Standing(corpus.occurrences(similar.words), np.repeat(similar.similarity, corpus.counts(similar.words)))


def _best(corpus: SignalCorpus, words: Sequence[Standing], threshold: float, total: Signal) -> Signal:
    """The similarity of a phrase at its best place in every passage; `total` is all zeros before and after."""
    owners, size = corpus.owners, len(words)
    touched: list[NDArray[np.int32]] = []
    for offset, standing in enumerate(words):
        starts = standing.places - offset
        fits = (starts >= 0) & (starts + size <= len(owners))
        # One word has no start twice, so adding in place loses nothing.
        total[starts[fits]] += standing.similarity[fits]
        touched.append(starts[fits])
    best = np.zeros(len(corpus))
    places = np.concatenate(touched)
    sums = total[places]
    total[places] = 0.0
    enough = sums >= threshold * size
    places, sums = places[enough], sums[enough]
    # A phrase must not begin in one passage and end in the next.
    inside = owners[places] == owners[places + size - 1]
    np.maximum.at(best, owners[places[inside]], sums[inside] / size)
    return best


def similarities(words: Sequence[str], others: Sequence[str], threshold: float) -> NDArray[np.float32]:
    """Compare every word with every other: normalized edit similarity in [0, 1], 0 below the threshold."""
    with needs_extra("the fuzzy signal of the strategy hybrid", "hybrid"):
        from rapidfuzz import fuzz, process
    scores = process.cdist(words, others, scorer=fuzz.ratio, score_cutoff=100 * threshold, dtype=np.float32, workers=-1)
    scores /= 100
    return np.asarray(scores, dtype=np.float32)
