"""Similarity of passages by their words: the cosine of their terms, each weighted by its rarity.

Every passage is read once and then known by the numbers of its terms, a few hundred bytes, so that a passage can be
compared with many others at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.types import Passage

_CACHED = 300_000
_WORDS = 500_000
_NUMBER = np.dtype(np.int32)
_NOTHING = 0
"""The number of every word that does not count; it has no weight."""

Load = Callable[[Sequence[str]], Mapping[str, Passage]]


class Vocabulary(dict[str, int]):
    """The number of each word's term; words that share a stem share a number."""

    def __init__(self, terms: Iterable[str]) -> None:
        super().__init__()
        self.terms = {term: number for number, term in enumerate(("", *terms))}
        """The number of each term, in that order; that of the empty one is `_NOTHING`."""
        self.words: dict[int, str] = {}
        """A word of each term, to search for it."""

    def __missing__(self, word: str) -> int:
        # Only spellings are forgotten; a term keeps its number, by which it was counted.
        if len(self) >= _WORDS:
            self.clear()
        (term,) = text.stems([word])
        number = _NOTHING if word in text.STOPWORDS else self.terms.setdefault(term, len(self.terms))
        self.words.setdefault(number, word)
        self[word] = number
        return number

    def term_numbers(self, passage: Passage) -> set[int]:
        """Return the numbers of the terms in a passage."""
        numbers = set(map(self.__getitem__, text.words(f"{passage.title}. {passage.heading}. {passage.text}")))
        numbers.discard(_NOTHING)
        return numbers


class TermSimilarity:
    """Compares passages by their terms: first count everything new, then compare."""

    def __init__(self, known: Mapping[str, int], load: Load) -> None:
        self._vocabulary = Vocabulary(known)
        # Numbered as `Vocabulary` does it: from one, in the same order.
        self._counts: Counter[int] = Counter(dict(enumerate(known.values(), 1)))
        self._load = load
        self._terms: dict[str, bytes] = {}
        self._spread = self._noted = self._array()
        self._weights = self._own = np.zeros(1)
        self._settled = False

    def count(self, passage: Passage) -> None:
        """Count the terms of a new passage."""
        self._counts.update(self._sketch(passage))
        self._forget()

    def weigh(self, size: int) -> None:
        """Compute the weights for a corpus of this size; nothing is counted afterwards."""
        self._settled = True
        self._spread = self._array()
        self._weights = np.log(size / np.maximum(1, self._spread))
        self._weights[_NOTHING] = 0.0
        self._own = np.zeros_like(self._weights)
        # Made when there were only the terms that were known before.
        self._noted = np.pad(self._noted, (0, len(self._weights) - len(self._noted)))

    def note(self, passages: Iterable[str]) -> None:
        """Add the terms of these passages to the counts of processed ones."""
        for passage in passages:
            self._noted[np.frombuffer(self._terms[passage], _NUMBER)] += 1

    def term_counts(self) -> dict[str, int]:
        """Number of processed passages that use each term."""
        counts = zip(self._vocabulary.terms, self._noted.tolist(), strict=False)
        return {term: count for term, count in counts if count and term}

    def load(self, passages: Iterable[str]) -> None:
        """Load these passages unless they are cached."""
        self._forget()
        missing = [id for id in passages if id not in self._terms]
        for passage in self._load(missing).values() if missing else ():
            self._sketch(passage)

    def __contains__(self, passage: str) -> bool:
        return passage in self._terms

    def rarest(self, passage: str, most: int, common: int) -> list[str]:
        """Words of the rarest terms of a passage that are used by others, but by at most `common` of them."""
        numbers = np.frombuffer(self._terms[passage], _NUMBER)
        spread = self._spread[numbers]
        telling = (spread > 1) & (spread <= common)
        words = map(self._vocabulary.words.__getitem__, numbers[telling].tolist())
        return [word for _, word in sorted(zip(spread[telling].tolist(), words, strict=True))[:most]]

    def similarities(self, passage: str, others: Sequence[str]) -> list[float]:
        """Compare a passage with others, all of which were read before; from 0 to 1 each."""
        if not others:
            return []
        own = np.frombuffer(self._terms[passage], _NUMBER)
        sketches = [self._terms[other] for other in others]
        starts = np.cumsum([0, *(len(s) // _NUMBER.itemsize for s in sketches[:-1])])
        theirs = np.frombuffer(b"".join(sketches), _NUMBER)
        # Written into one array and wiped out again: a new one would be as long as the vocabulary, for each passage.
        self._own[own] = self._weights[own]
        shared = np.add.reduceat(self._own[theirs], starts)
        self._own[own] = 0.0
        totals = np.add.reduceat(self._weights[theirs], starts) * self._weights[own].sum()
        return np.divide(shared, np.sqrt(totals), out=np.zeros(len(others)), where=totals > 0).tolist()  # type: ignore[no-any-return]

    def _sketch(self, passage: Passage) -> set[int]:
        numbers = self._vocabulary.term_numbers(passage)
        if self._settled:
            # A term that nobody has counted is in no other passage, and has no weight.
            numbers = {n for n in numbers if n < len(self._weights)}
        # Never empty: reduceat would take the first term of the next passage for the sum of none.
        self._terms[passage.id] = np.fromiter(numbers or (_NOTHING,), _NUMBER).tobytes()
        return numbers

    def _forget(self) -> None:
        for id in list(islice(self._terms, max(0, len(self._terms) - _CACHED))):
            del self._terms[id]

    def _array(self) -> NDArray[np.int64]:
        counts = np.zeros(len(self._vocabulary.terms), np.int64)
        counts[list(self._counts)] = list(self._counts.values())
        return counts
