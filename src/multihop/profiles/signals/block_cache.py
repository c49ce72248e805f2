"""Cache of what the signals compute from passages, in blocks in the index: words, pattern matches, vectors.

Everything is found again by the digest of a passage's content, so that it holds whatever happens to the index: a
passage that changed has another digest and is worked out anew, a process that starts works out nothing twice. A block
says itself what it holds and by what it was made, so that it does no harm when blocks were written at different times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from multihop.profiles.signals import arrays
from multihop.profiles.signals.corpus import SignalCorpus
from multihop.profiles.signals.spool import Spool, Stored
from multihop.protocols import Blobs, Cache, Views

Values = Mapping[str, NDArray[Any]]
Digests = NDArray[np.uint64]
Prepare = Callable[[Values], Values]

_FEW = 0.02
"""A smaller share of new passages is not worth writing everything again."""


class BlockStore(Views, Blobs, Protocol):
    """The part of a store that the signal cache uses."""


@dataclass(frozen=True, slots=True)
class Head:
    """Header of cached blocks: their stamp, generation and sizes."""

    stamp: str
    generation: int
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CachedBlocks:
    """Blocks that were read from the index."""

    head: Head
    parts: Sequence[Stored]

    @cached_property
    def _sorted_ids(self) -> tuple[Digests, NDArray[np.int32]]:
        digests = np.concatenate([np.zeros(0, dtype=np.uint64), *(p.read()["digests"] for p in self.parts)])
        order = np.argsort(digests, kind="stable").astype(np.int32)
        return digests[order], order

    @property
    def digests(self) -> Digests:
        """The digests of everything that is kept, in rising order."""
        return self._sorted_ids[0]

    def places(self, digests: Digests) -> NDArray[np.int32]:
        """Return where passages are, counted through all blocks; -1 for those that are new."""
        known, order = self._sorted_ids
        if not len(known):
            return np.full(len(digests), -1, dtype=np.int32)
        # What is larger than all that is known would be looked for behind the end.
        at = np.minimum(np.searchsorted(known, digests), len(known) - 1)
        return np.where(known[at] == digests, order[at], np.int32(-1))

    def rows(self, digests: Digests) -> tuple[NDArray[Any] | None, list[int]]:
        """Return a row for each passage, and say which of them are new; no rows when all are."""
        places = self.places(digests)
        block: NDArray[Any] | None = None
        start = 0
        for part, size in zip(self.parts, self.head.sizes, strict=True):
            here = np.flatnonzero((places >= start) & (places < start + size))
            if len(here):
                rows = part.read()["rows"]
                if block is None:
                    block = np.zeros((len(digests), *rows.shape[1:]), dtype=rows.dtype)
                block = block.astype(np.result_type(block, rows), copy=False)
                block[here] = rows[places[here] - start]
            start += size
        return block, np.flatnonzero(places < 0).tolist()


class CachedWords:
    """Gives the words of passages that are kept, quickly when they are asked for in the order of the index."""

    def __init__(self, kept: CachedBlocks) -> None:
        self._kept = kept
        self._starts = np.cumsum([0, *kept.head.sizes])
        self._open: tuple[int, SignalCorpus, list[str], NDArray[np.int64]] | None = None

    def __call__(self, digest: int) -> list[str] | None:
        [place] = self._kept.places(np.array([digest], dtype=np.uint64)).tolist()
        if place < 0:
            return None
        number = int(np.searchsorted(self._starts, place, side="right")) - 1
        if self._open is None or self._open[0] != number:
            values = self._kept.parts[number].read()
            corpus = SignalCorpus(values)
            self._open = number, corpus, corpus.words.all(), np.cumsum([0, *values["lengths"].tolist()])
        _, corpus, words, ends = self._open
        row = place - int(self._starts[number])
        return [words[token] for token in corpus.tokens[ends[row] : ends[row + 1]].tolist()]


def head(cache: Cache | Blobs, name: str, stamp: str) -> Head | None:
    """Return what the index keeps under a name; None for what was made by something else."""
    values = _read_stamped(cache, name, stamp)
    return Head(stamp, int(values["generation"][0]), tuple(values["sizes"].tolist())) if "sizes" in values else None


def load(
    cache: Cache | Blobs, name: str, stamp: str, prepare: Callable[[Values], Values] = dict
) -> CachedBlocks | None:
    """Read what the index keeps under a name, a block at a time; None for what was made by something else."""
    cached = head(cache, name, stamp)
    if cached is None:
        return None
    spool = Spool()
    parts: list[Stored] = []
    for number in range(len(cached.sizes)):
        if not (values := _read_stamped(cache, _part(name, number), stamp)):
            return None
        parts.append(spool.put(prepare(values)))
    # A block may have been written anew since the head was read.
    sizes = tuple(len(part.read()["digests"]) for part in parts)
    return CachedBlocks(Head(stamp, cached.generation if sizes == cached.sizes else -1, sizes), parts)


def put_blocks(store: BlockStore, name: str, stamp: str, generation: int, parts: Iterable[Values]) -> None:
    """Store blocks under a name, with the stamp of what computed them."""
    before = _values(store, name)
    mark = arrays.of_texts([stamp])
    sizes: list[int] = []
    for values in parts:
        store.put_blob(_part(name, len(sizes)), arrays.pack({"stamp": mark, **values}))
        sizes.append(len(values["digests"]))
    # A store has no way to take a blob away, so what is left over from before is emptied.
    for number in range(len(sizes), len(before.get("sizes", ()))):
        store.put_blob(_part(name, number), b"")
    about = {"stamp": mark, "generation": np.array([generation]), "sizes": np.array(sizes, dtype=np.int64)}
    # The head comes last: whoever reads it finds all blocks that it speaks of.
    store.put_blob(name, arrays.pack(about))


def worth_keeping(kept: CachedBlocks | None, digests: Digests) -> bool:
    """Return whether enough passages are new or deleted that the cache should be rewritten."""
    if kept is None:
        return len(digests) > 0
    known = np.isin(digests, kept.digests)
    return bool((~known).sum() > _FEW * len(digests) or len(kept.digests) > 2 * len(digests))


def _values(cache: Cache | Blobs, name: str) -> dict[str, Any]:
    blob = cache.get_blob(name)
    return arrays.unpack(blob[1]) if blob and blob[1] else {}


def _read_stamped(cache: Cache | Blobs, name: str, stamp: str) -> dict[str, Any]:
    """Read the arrays cached under a name; none if the stamp differs."""
    values = _values(cache, name)
    return values if "stamp" in values and arrays.texts(values["stamp"]) == [stamp] else {}


def _part(name: str, number: int) -> str:
    return f"{name}.{number}"
