"""Working through long streams: in batches, with or without a report of progress, and noticing what comes twice."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut a stream into lists of at most `size` items."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch


def ignore_progress(stage: str, done: int, total: int | None) -> None:
    """Default for a `Progress` callback: do nothing."""


def ignore(value: object) -> None:
    """Default for a callback: do nothing."""


class Seen:
    """The texts that a stream has brought so far, as hashes of eight bytes in one table.

    A set of texts would outgrow a long stream's own work; this one takes at most 24 bytes for each of them.
    """

    def __init__(self) -> None:
        self._slots = array("Q", [0]) * 1024
        self._count = 0

    def __contains__(self, text: str) -> bool:
        return self._slots[self._place(_key(text))] != 0

    def add(self, text: str) -> bool:
        """Add a text; False when it was there already."""
        key = _key(text)
        at = self._place(key)
        if self._slots[at]:
            return False
        self._slots[at] = key
        self._count += 1
        # Fuller than two thirds, the way to a free slot becomes long. A power of two, so that a mask finds the place.
        if self._count * 3 > len(self._slots) * 2:
            old, self._slots = self._slots, array("Q", [0]) * (2 * len(self._slots))
            for key in filter(None, old):
                self._slots[self._place(key)] = key
        return True

    def _place(self, key: int) -> int:
        """Find the slot that has a key, or the free one where it belongs."""
        slots, mask = self._slots, len(self._slots) - 1
        at = key & mask
        while (held := slots[at]) and held != key:
            at = (at + 1) & mask
        return at


def _key(text: str) -> int:
    # Never zero, which marks a slot that is free.
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big") or 1
