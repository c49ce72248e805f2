"""What the signals work out of passages, kept in the index: words, patterns that match, word vectors.

Everything is found again by the digest of a passage's content, so that it holds whatever happens to the index: a
passage that changed has another digest and is worked out anew, a process that starts works out nothing twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from multihop.profiles.signals import arrays
from multihop.protocols import Blobs, Cache, Views
from multihop.types import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Digests = NDArray[np.uint64]

WORDS = "signals.words"
LARGEST = 400 * 2**20
"""What takes more bytes than this is not kept: reading it would take longer than is saved."""
_FEW = 0.02
"""A smaller share of new passages is not worth writing everything again."""


class Keeping(Views, Blobs, Protocol):
    """A store, as far as signals are kept in it."""


@dataclass(frozen=True, eq=False, slots=True)
class KeptRows:
    """One row for each passage that was worked out before, by its digest."""

    digests: Digests
    """In rising order."""
    rows: Any
    """An array with a row for each digest."""

    def row(self, digest: int) -> Any:
        at = _found(self.digests, digest)
        return None if at is None else self.rows[at]

    def places(self, digests: Digests) -> NDArray[np.int32] | None:
        """Say where the rows of all these passages are; None when one of them is new."""
        if not len(self.digests):
            return None
        at = np.minimum(np.searchsorted(self.digests, digests), len(self.digests) - 1).astype(np.int32)
        return at if bool((self.digests[at] == digests).all()) else None

    def all(self, digests: Digests) -> Any:
        """Give the rows of all these passages at once; None when one of them is new."""
        at = self.places(digests)
        return None if at is None else self.rows[at]


@dataclass(frozen=True, eq=False, slots=True)
class KeptWords:
    """The content words of passages, as places in one vocabulary."""

    digests: Digests
    starts: NDArray[np.int64]
    tokens: NDArray[np.int32]
    words: tuple[str, ...]

    def row(self, digest: int) -> NDArray[np.int32] | None:
        at = _found(self.digests, digest)
        return None if at is None else self.tokens[self.starts[at] : self.starts[at + 1]]


def _found(digests: Digests, digest: int) -> int | None:
    at = int(np.searchsorted(digests, np.uint64(digest)))
    return at if at < len(digests) and int(digests[at]) == digest else None


def digest_of(passage: Passage) -> int:
    """Stand for all of a passage that signals look at."""
    content = f"{passage.title}\n{passage.heading}\n{passage.text}"
    return int.from_bytes(hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def load_words(cache: Cache) -> KeptWords | None:
    """Give the words that the index keeps, read once for all filters."""
    return cache.cached(f"{WORDS}.kept", lambda: _words(cache.get_blob(WORDS)), shared=True)


def load_rows(cache: Cache, name: str, stamp: str) -> KeptRows | None:
    """Give the rows that the index keeps under a name, read once for all filters; None for those of another stamp."""
    return cache.cached(f"{name}.{stamp}.kept", lambda: _rows(cache.get_blob(name), stamp), shared=True)


def put_words(store: Keeping, digests: Digests, parts: Sequence[NDArray[np.int32]], words: Iterable[str]) -> None:
    """Keep the words of passages, each once."""
    _, first = np.unique(digests, return_index=True)
    chosen = [parts[i] for i in first.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(p) for p in chosen])]).astype(np.int64)
    tokens = np.concatenate(chosen).astype(np.int32) if chosen else np.zeros(0, dtype=np.int32)
    values = {"digests": digests[first], "starts": starts, "tokens": tokens, "words": arrays.of_texts(words)}
    _put(store, WORDS, values)


def put_rows(store: Keeping, name: str, stamp: str, digests: Digests, rows: NDArray[np.generic]) -> None:
    """Keep one row for each passage, equal ones once; the stamp says what they were made by."""
    _, first = np.unique(digests, return_index=True)
    _put(store, name, {"stamp": arrays.of_texts([stamp]), "digests": digests[first], "rows": rows[first]})


def worth_keeping(kept: KeptRows | KeptWords | None, digests: Digests) -> bool:
    """Tell whether so many passages are new, or gone, that what is kept is to be written again."""
    if kept is None:
        return len(digests) > 0
    known = np.isin(digests, kept.digests)
    return bool((~known).sum() > _FEW * len(digests) or len(kept.digests) > 2 * len(digests))


def _put(store: Keeping, name: str, values: dict[str, NDArray[np.generic]]) -> None:
    if sum(v.nbytes for v in values.values()) <= LARGEST:
        store.put_blob(name, arrays.packed(values))


def _words(blob: tuple[int, bytes] | None) -> KeptWords | None:
    if blob is None:
        return None
    found = arrays.unpacked(blob[1])
    return KeptWords(found["digests"], found["starts"], found["tokens"], tuple(arrays.texts(found["words"])))


def _rows(blob: tuple[int, bytes] | None, stamp: str) -> KeptRows | None:
    found = arrays.unpacked(blob[1]) if blob else None
    if found is None or arrays.texts(found["stamp"]) != [stamp]:
        return None
    return KeptRows(found["digests"], found["rows"])
