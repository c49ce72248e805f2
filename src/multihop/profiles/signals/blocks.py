"""All passages of a view in blocks, and what signals work out of them as columns beside the blocks.

A block is looked at alone and then let go, so that memory does not grow with the number of passages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from multihop.profiles.signals.arrays import Texts
from multihop.profiles.signals.block_cache import CachedBlocks, CachedWords
from multihop.profiles.signals.corpus import SignalCorpus, add_inverted, block
from multihop.profiles.signals.spool import Spool, Stored
from multihop.protocols import Passages
from multihop.types import Passage

PASSAGES = 16_384
"""Passages of a block. More of them share a vocabulary, which saves time; fewer take less memory."""
Work = Callable[[SignalCorpus, Sequence[int], Iterator[Passage]], "NDArray[Any]"]
"""Works out a row for some passages of a block, given by their places in it and, when they are read, as they are."""


class Blocks(Sequence[str]):
    """The ids of all passages, in the order of the index; and their words, block by block."""

    def __init__(self, parts: Sequence[Stored], sizes: Sequence[int]) -> None:
        self.parts = parts
        self.starts: list[int] = np.cumsum([0, *sizes]).tolist()

    @classmethod
    def read(cls, passages: Passages, kept: CachedBlocks | None) -> Blocks:
        """Read passages as a stream; the words of those that are kept are not found again."""
        spool, scanned = Spool(), passages.scan()
        known = CachedWords(kept) if kept else lambda _: None
        parts: list[Stored] = []
        sizes: list[int] = []
        while len((values := block(islice(scanned, PASSAGES), known))["digests"]):
            parts.append(spool.put(add_inverted(values)))
            sizes.append(len(values["digests"]))
        return cls(parts, sizes)

    def __len__(self) -> int:
        return self.starts[-1]

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        if isinstance(row, slice):
            return [self[each] for each in range(*row.indices(len(self)))]
        at = range(len(self))[row]
        return self.ids_of([at])[at]

    def __iter__(self) -> Iterator[str]:
        for _, corpus in self.corpora():
            yield from corpus.ids.all()

    def corpora(self) -> Iterator[tuple[slice, SignalCorpus]]:
        """Yield each block with the rows that it makes up."""
        for number, part in enumerate(self.parts):
            yield slice(self.starts[number], self.starts[number + 1]), SignalCorpus(part.read())

    def ids_of(self, rows: Iterable[int]) -> dict[int, str]:
        """Return the ids of some rows, looking at each block once."""
        wanted = np.unique(np.fromiter(rows, dtype=np.int64))
        by_row: dict[int, str] = {}
        for number, start in enumerate(self.starts[:-1]):
            here = wanted[(wanted >= start) & (wanted < self.starts[number + 1])].tolist()
            if here:
                ids = Texts.of(self.parts[number].read(), "ids")
                by_row |= {row: ids[row - start] for row in here}
        return by_row

    def rows(self, ids: Collection[str]) -> dict[str, int]:
        """Return the rows of some passages; those that are not here are left out."""
        return {id: row for row, id in enumerate(self) if id in ids}


@dataclass(frozen=True, slots=True)
class SignalColumn:
    """A row for every passage, block by block."""

    parts: Sequence[Stored]

    def rows(self, number: int) -> NDArray[Any]:
        """Return the rows of a block."""
        rows: NDArray[Any] = self.parts[number].read()["rows"]
        return rows

    @classmethod
    def of(cls, blocks: Blocks, passages: Passages, kept: CachedBlocks | None, work: Work) -> SignalColumn:
        """Load what is cached and compute the rest; passages are read only where something is to be computed."""
        # The usual case of an index that has not changed: nothing is copied.
        if kept is not None and _covers(kept, blocks):
            return cls(kept.parts)
        spool, reading = Spool(), _Reading(passages)
        parts: list[Stored] = []
        for rows, corpus in blocks.corpora():
            known, new = kept.rows(corpus.digests) if kept else (None, list(range(len(corpus))))
            if new:
                made = work(corpus, new, reading.passages(rows.start, new))
                if known is None:
                    known = made
                else:
                    # New vectors may be more precise than kept ones, which are halved where that loses nothing.
                    known = known.astype(np.result_type(known, made), copy=False)
                    known[new] = made
            assert known is not None  # noqa: S101  # a block is never empty
            parts.append(spool.put({"digests": corpus.digests, "rows": known}))
        return cls(parts)


def _covers(kept: CachedBlocks, blocks: Blocks) -> bool:
    """Return whether what is kept has the very passages of the blocks, in their order."""
    if np.cumsum([0, *kept.head.sizes]).tolist() != blocks.starts:
        return False
    pairs = zip(kept.parts, blocks.corpora(), strict=True)
    return all(np.array_equal(part.read()["digests"], corpus.digests) for part, (_, corpus) in pairs)


class _Reading:
    """Reads chosen passages of an index in rising order, as one stream."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._stream: Iterator[Passage] | None = None
        self._at = 0

    def passages(self, start: int, rows: Sequence[int]) -> Iterator[Passage]:
        for row in rows:
            if self._stream is None:
                # Not before something is asked for: most questions work out nothing new.
                self._stream = iter(self._passages.scan())
            skipped = start + row - self._at
            yield next(islice(self._stream, skipped, None))
            self._at += skipped + 1
