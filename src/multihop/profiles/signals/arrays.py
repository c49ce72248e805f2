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
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
"""Rows that are worked on at a time."""
# Numbers that begin at odd places of a mapped file would be slow to work on.
_ALIGNED = 16


class WordLists:
    """Lists of words, to be gone through again and again: every word is held once, its places as numbers."""

    def __init__(self, lists: Iterable[Iterable[str]]) -> None:
        known: defaultdict[str, int] = defaultdict()
        # A word that is new gets the next number by being asked for.
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
class Texts:
    """Many texts as two arrays, of which each can be read without the others."""

    data: NDArray[np.uint8]
    at: NDArray[np.int64]
    """Where each text begins; a text ends one byte before the next begins."""

    def __len__(self) -> int:
        return len(self.at) - 1

    def __getitem__(self, place: int) -> str:
        return self.data[self.at[place] : self.at[place + 1] - 1].tobytes().decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        """Read all of them."""
        together = self.data.tobytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
        # Texts may hold line breaks; then they are cut where they begin, which is slower.
        return together if len(together) == len(self) else [self[place] for place in range(len(self))]

    @staticmethod
    def arrays(name: str, texts: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Write texts as arrays under a name."""
        coded = [t.encode("utf-8", "surrogatepass") + b"\n" for t in texts]
        at = np.cumsum([0, *map(len, coded)], dtype=np.int64)
        return {name: np.frombuffer(b"".join(coded), dtype=np.uint8), f"{name}.at": at}

    @classmethod
    def of(cls, values: Mapping[str, Any], name: str) -> Texts:
        """Read what `arrays` wrote."""
        return cls(values[name], values[f"{name}.at"])


def to_half(rows: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
    """Convert rows to half precision if that loses nothing."""
    # What is too large for half precision becomes infinite, and so differs below.
    with np.errstate(over="ignore"):
        half = rows.astype(np.float16)
    return half if bool((half == rows).all()) else rows


def in_blocks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut a sequence into parts of at most `BLOCK`."""
    return (items[at : at + BLOCK] for at in range(0, len(items), BLOCK))


def pieces(values: Mapping[str, Any]) -> Iterator[bytes]:
    """Write arrays one after another behind a line that says what they are and where each begins."""
    header: dict[str, list[Any]] = {}
    at = 0
    for name, values_of in values.items():
        header[name] = [str(values_of.dtype), list(values_of.shape), at]
        at += values_of.nbytes + -values_of.nbytes % _ALIGNED
    line = json.dumps(header).encode()
    yield line + b" " * (-(len(line) + 1) % _ALIGNED) + b"\n"
    for values_of in values.values():
        yield np.ascontiguousarray(values_of).tobytes() + bytes(-values_of.nbytes % _ALIGNED)


def pack(values: Mapping[str, Any]) -> bytes:
    """Pack named arrays into bytes."""
    return b"".join(pieces(values))


def unpack(data: bytes | mmap) -> dict[str, Any]:
    """Read what `pack` wrote, without copying."""
    end = data.find(b"\n") + 1
    arrays: dict[str, Any] = {}
    for name, (kind, shape, at) in json.loads(data[:end]).items():
        count = int(np.prod(shape, dtype=np.int64))
        read = np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=end + at) if count else np.zeros(0, kind)
        arrays[name] = read.reshape(shape)
    return arrays


def of_texts(texts: Iterable[str]) -> Any:
    """Write texts without line breaks as one array of bytes."""
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def texts(array: Any) -> list[str]:
    """Read what `of_texts` wrote."""
    content = array.tobytes().decode()
    return content.split("\n") if content else []
