"""A block of passages as arrays: everything about their words that does not depend on the question, worked out once.

Content words stand one after another in `tokens`, as places in the vocabulary of the block; from a word its occurrences
are found without looking at any passage that lacks it.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.profiles.regexes import searchable
from multihop.profiles.signals.arrays import Texts
from multihop.types import Passage

Places = NDArray[np.int32]

STAMP = "1"
"""Change it with the definition of words: caches of other ones are not used."""
_DERIVED = ("owners", "order", "bounds")
_DECIMAL = re.compile(r"(?<=\d)[.,](?=\d)")
_PERCENT = re.compile(r"%|\bper cent\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d$")


def content_words(content: str) -> list[str]:
    """Cut a text into folded words without stopwords; 13.6% becomes one number and "percent"."""
    # Looking for two plain texts is much faster than a pattern on every passage.
    if "%" in content or "er cent" in content:
        content = _PERCENT.sub(" percent ", content)
    return [w for w in text.words(_DECIMAL.sub("", content)) if w not in text.STOPWORDS]


def words_of(passage: Passage) -> list[str]:
    """The content words of a passage, those of its title and heading first."""
    return content_words(f"{passage.title}\n{passage.heading}\n{passage.text}")


def digest_of(passage: Passage) -> int:
    """Hash the content of a passage that signals use."""
    return digest(f"{passage.title}\n{passage.heading}\n{passage.text}")


def digest(content: str) -> int:
    """Stand for a text in eight bytes."""
    return int.from_bytes(hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def text_of(passage: Passage) -> str:
    """What patterns are matched on: heading and text on one line."""
    return searchable(f"{passage.heading} {passage.text}")


class SignalCorpus:
    """The content words of one block of passages, with an inverted index."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.digests: NDArray[np.uint64] = values["digests"]
        self.ids = Texts.of(values, "ids")
        self.words = Texts.of(values, "words")
        self.tokens: Places = values["tokens"]
        self.owners: Places = values["owners"]
        self.numbers: Places = values["numbers"]
        self.years: Places = values["years"]
        self._values = values

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> SignalCorpus:
        """Put passages into one block."""
        return cls(add_inverted(block(passages)))

    def __len__(self) -> int:
        return len(self.digests)

    def sentences(self, rows: Iterable[int]) -> Iterator[list[str]]:
        """Yield the content words of some passages."""
        words, ends = self.words.all(), np.cumsum(self._values["lengths"])
        for row in rows:
            yield [words[token] for token in self.tokens[ends[row] - self._values["lengths"][row] : ends[row]].tolist()]

    def alike(self, word: str) -> Sequence[int]:
        """Words of the vocabulary that differ from this one at most by a plural."""
        form = text.singular(word)
        # Checksums may agree by chance, so each word that they name is looked at.
        return [w for w in self._with_sum("singulars", form) if text.singular(self.words[w]) == form]

    def of_stem(self, stem: str) -> Sequence[int]:
        return [w for w in self._with_sum("stems", stem) if text.stems([self.words[w]]) == [stem]]

    def _with_sum(self, forms: str, form: str) -> list[int]:
        matching: list[int] = np.flatnonzero(self._values[forms] == _checksum(form)).tolist()
        return matching

    def occurrences(self, words: Sequence[int] | Places) -> Places:
        """Where any of these words stand in `tokens`, word by word."""
        chosen = np.asarray(words, dtype=np.int64)
        starts, counts = self._values["bounds"][chosen], self.counts(chosen)
        # One range for each word, one after another.
        steps = np.arange(int(counts.sum())) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        places: Places = self._values["order"][steps]
        return places

    def counts(self, words: NDArray[np.int64] | Places) -> NDArray[np.int64]:
        """How often each of these words occurs in `tokens`."""
        bounds: NDArray[np.int64] = self._values["bounds"]
        return bounds[words + 1] - bounds[words]

    def with_any(self, words: Sequence[int]) -> NDArray[np.bool_]:
        """Which passages use one of these words?"""
        has = np.zeros(len(self), dtype=bool)
        has[self.owners[self.occurrences(words)]] = True
        return has

    def with_phrase(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which passages use these content words next to each other, singular or plural?"""
        places = self.occurrences(self.alike(words[0]))
        for offset, word in enumerate(words[1:], 1):
            # One place more than there are tokens, for phrases that would run over the end of the block.
            following = np.zeros(len(self.tokens) + 1, dtype=bool)
            following[self.occurrences(self.alike(word))] = True
            places = places[following[np.minimum(places + offset, len(self.tokens))]]
        ends = np.minimum(places + len(words) - 1, max(0, len(self.tokens) - 1))
        has = np.zeros(len(self), dtype=bool)
        # The tokens of all passages stand in one row; a phrase must not run over into the next.
        has[self.owners[places[self.owners[places] == self.owners[ends]]]] = True
        return has


def block(
    passages: Iterable[Passage], known: Callable[[int], Sequence[str] | None] = lambda _: None
) -> dict[str, NDArray[Any]]:
    """Write passages as arrays; the words of some are known by the digest of their content."""
    place: defaultdict[str, int] = defaultdict()
    place.default_factory = place.__len__
    ids: list[str] = []
    digests, tokens, lengths = array("Q"), array("i"), array("i")
    for passage in passages:
        digest, before = digest_of(passage), len(tokens)
        words = known(digest)
        tokens.extend(map(place.__getitem__, words_of(passage) if words is None else words))
        ids.append(passage.id)
        digests.append(digest)
        lengths.append(len(tokens) - before)
    numbers = [at for at, word in enumerate(place) if word.isdigit()]
    spelled = list(place)
    return {
        "digests": np.array(digests, dtype=np.uint64),
        "lengths": np.array(lengths, dtype=np.int32),
        "tokens": np.array(tokens, dtype=np.int32),
        "numbers": np.array(numbers, dtype=np.int32),
        "years": np.array([at for at in numbers if _YEAR.match(spelled[at])], dtype=np.int32),
        "singulars": checksums(text.singulars(spelled)),
        "stems": checksums(text.stems(spelled)),
        **Texts.arrays("ids", ids),
        **Texts.arrays("words", spelled),
    }


def add_inverted(values: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Add to a block what follows from it: which passage each token is of, and where each word stands."""
    tokens, lengths = values["tokens"], values["lengths"]
    counts = np.bincount(tokens, minlength=len(values["words.at"]) - 1)
    return {
        **values,
        "owners": np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        "order": np.argsort(tokens, kind="stable").astype(np.int32),
        "bounds": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    }


def bare(values: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Leave out of a block what follows from the rest."""
    return {name: each for name, each in values.items() if name not in _DERIVED}


def _checksum(form: str) -> int:
    return zlib.crc32(form.encode("utf-8", "surrogatepass"))


def checksums(forms: Iterable[str]) -> NDArray[np.uint32]:
    """Stand for words, so that one is found among many without reading them."""
    return np.fromiter(map(_checksum, forms), dtype=np.uint32)
