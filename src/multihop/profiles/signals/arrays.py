"""Arrays that take little memory, and named arrays as bytes and back.

The same values always give the same bytes, and reading them runs no code.
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 4096
"""Rows that are worked on at a time."""


class WordLists:
    """Lists of words, to be gone through again and again: every word is held once, its places as numbers."""

    def __init__(self, lists: Iterable[Iterable[str]]) -> None:
        known: defaultdict[str, int] = defaultdict()
        known.default_factory = known.__len__
        self._tokens, self._ends = array("i"), array("q", [0])
        for words in lists:
            self._tokens.extend(map(known.__getitem__, words))
            self._ends.append(len(self._tokens))
        self._words = list(known)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[list[str]]:
        words = self._words
        for start, end in pairwise(self._ends):
            yield [words[token] for token in self._tokens[start:end]]


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Vectors that are read a block at a time; with `places`, chosen out of more without copying them."""

    values: NDArray[np.floating[Any]]
    places: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.values if self.places is None else self.places)

    def all(self) -> NDArray[np.floating[Any]]:
        """Give them in one piece."""
        return self.values if self.places is None else self.values[self.places]

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        for at in range(0, len(self), BLOCK):
            chosen = slice(at, at + BLOCK) if self.places is None else self.places[at : at + BLOCK]
            yield self.values[chosen].astype(np.float32, copy=False)


def stacked(blocks: Iterable[NDArray[np.float32]], count: int) -> Rows:
    """Put blocks of so many rows together, in half precision where that loses nothing: stores keep vectors so."""
    rows: NDArray[Any] | None = None
    at = 0
    for block in blocks:
        with np.errstate(over="ignore"):
            half = block.astype(np.float16)
        exact = bool((half == block).all())
        if rows is None:
            rows = np.zeros((count, block.shape[1]), dtype=half.dtype if exact else block.dtype)
        elif rows.dtype == half.dtype and not exact:
            rows = rows.astype(np.float32)
        rows[at : at + len(block)] = block
        at += len(block)
    return Rows(np.zeros((count, 0), dtype=np.float16) if rows is None else rows)


def in_blocks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut a sequence into parts of at most `BLOCK`."""
    return (items[at : at + BLOCK] for at in range(0, len(items), BLOCK))


def packed(values: Mapping[str, Any]) -> bytes:
    """Write arrays one after another behind a line that says what they are."""
    header = {name: [str(a.dtype), list(a.shape)] for name, a in values.items()}
    return json.dumps(header).encode() + b"\n" + b"".join(np.ascontiguousarray(a).tobytes() for a in values.values())


def unpacked(data: bytes) -> dict[str, Any]:
    """Read what `packed` wrote."""
    end = data.index(b"\n")
    found: dict[str, Any] = {}
    start = end + 1
    for name, (kind, shape) in json.loads(data[:end]).items():
        count = int(np.prod(shape, dtype=np.int64))
        found[name] = np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=start).reshape(shape)
        start += found[name].nbytes
    return found


def of_texts(texts: Iterable[str]) -> Any:
    """Write texts without line breaks as one array of bytes."""
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def texts(array: Any) -> list[str]:
    """Read what `of_texts` wrote."""
    content = array.tobytes().decode()
    return content.split("\n") if content else []
