"""Passages as arrays: everything about their words that does not depend on the question, worked out once.

Content words stand one after another in `tokens`, as places in the vocabulary; from a word its occurrences are found
without looking at any passage that lacks it.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from multihop import text
from multihop.profiles.regexes import searchable
from multihop.profiles.signals.kept import KeptWords, digest_of
from multihop.types import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int32]

_DECIMAL = re.compile(r"(?<=\d)[.,](?=\d)")
_PERCENT = re.compile(r"%|\bper cent\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d$")


def content_words(content: str) -> list[str]:
    """Cut a text into folded words without stopwords; 13.6% becomes one number and "percent"."""
    if "%" in content or "er cent" in content:
        content = _PERCENT.sub(" percent ", content)
    return [w for w in text.words(_DECIMAL.sub("", content)) if w not in text.STOPWORDS]


def words_of(passage: Passage) -> list[str]:
    """The content words of a passage, those of its title and heading first."""
    return content_words(f"{passage.title}\n{passage.heading}\n{passage.text}")


def text_of(passage: Passage) -> str:
    """What patterns are matched on: heading and text on one line."""
    return searchable(f"{passage.heading} {passage.text}")


class SignalCorpus:
    """The content words of some passages, with an inverted index."""

    def __init__(self, passages: Iterable[Passage], kept: KeptWords | None = None) -> None:
        known: defaultdict[str, int] = defaultdict()
        known.default_factory = known.__len__
        for word in kept.words if kept else ():
            known[word]
        self.ids: list[str] = []
        digests, tokens, lengths = array("Q"), array("i"), array("q")
        for passage in passages:
            digest, before = digest_of(passage), len(tokens)
            part = kept.row(digest) if kept else None
            if part is None:
                tokens.extend(map(known.__getitem__, words_of(passage)))
            else:
                tokens.frombytes(part.tobytes())
            self.ids.append(passage.id)
            digests.append(digest)
            lengths.append(len(tokens) - before)
        self.digests = np.array(digests, dtype=np.uint64)
        together = np.array(tokens, dtype=np.int32)
        # Words in the order in which they are met first, so that it does not matter what was kept.
        first = np.full(len(known), len(together), dtype=np.int32)
        first[together[::-1]] = np.arange(len(together) - 1, -1, -1, dtype=np.int32)  # of several the last one stays
        order = np.argsort(first, kind="stable")[: int((first < len(together)).sum())]
        spelled = list(known)
        self.words = [spelled[w] for w in order.tolist()]
        renumbered = np.zeros(len(known), dtype=np.int32)
        renumbered[order] = np.arange(len(order), dtype=np.int32)
        self.tokens = renumbered[together]
        self.owners = np.repeat(np.arange(len(self.ids), dtype=np.int32), np.array(lengths, dtype=np.int64))
        self._order = np.argsort(self.tokens, kind="stable").astype(np.int32)
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(self.tokens, minlength=len(self.words)))])

    def __len__(self) -> int:
        return len(self.ids)

    def parts(self) -> list[NDArray[np.int32]]:
        """Give the words of every passage, as places in the vocabulary, in the order of its ids."""
        ends = np.cumsum(np.bincount(self.owners, minlength=len(self.ids)))
        return np.split(self.tokens, ends[:-1]) if len(ends) else []

    def sentences(self) -> Iterator[list[str]]:
        """Give the content words of every passage, in the order of its ids."""
        words = self.words
        for part in self.parts():
            yield [words[token] for token in part.tolist()]

    @cached_property
    def numbers(self) -> list[int]:
        return [place for place, word in enumerate(self.words) if word.isdigit()]

    @cached_property
    def years(self) -> list[int]:
        return [place for place in self.numbers if _YEAR.match(self.words[place])]

    @cached_property
    def _by_singular(self) -> dict[str, list[int]]:
        return _grouped(self.words, text.singular)

    @cached_property
    def _by_stem(self) -> dict[str, list[int]]:
        return _grouped(self.words, lambda word: text.stems([word])[0])

    def alike(self, word: str) -> Sequence[int]:
        """Words of the vocabulary that differ from this one at most by a plural."""
        return self._by_singular.get(text.singular(word), ())

    def of_stem(self, stem: str) -> Sequence[int]:
        return self._by_stem.get(stem, ())

    def occurrences(self, words: Sequence[int]) -> Places:
        """Where any of these words stand in `tokens`, word by word."""
        if not words:
            return self._order[:0]
        return np.concatenate([self._order[self._bounds[w] : self._bounds[w + 1]] for w in words])

    def with_any(self, words: Sequence[int]) -> NDArray[np.bool_]:
        """Which passages use one of these words?"""
        found = np.zeros(len(self.ids), dtype=bool)
        found[self.owners[self.occurrences(words)]] = True
        return found

    def with_phrase(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which passages use these content words next to each other, singular or plural?"""
        places = self.occurrences(self.alike(words[0]))
        for offset, word in enumerate(words[1:], 1):
            following = np.zeros(len(self.tokens) + 1, dtype=bool)
            following[self.occurrences(self.alike(word))] = True
            places = places[following[np.minimum(places + offset, len(self.tokens))]]
        ends = np.minimum(places + len(words) - 1, max(0, len(self.tokens) - 1))
        found = np.zeros(len(self.ids), dtype=bool)
        # The tokens of all passages stand in one row; a phrase must not run over into the next.
        found[self.owners[places[self.owners[places] == self.owners[ends]]]] = True
        return found


def _grouped(words: Sequence[str], form: Callable[[str], str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        found[form(word)].append(place)
    return dict(found)
