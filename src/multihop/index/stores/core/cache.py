"""Caches of one generation of an index. A generation never changes, so what was read or computed stays true."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from multihop.types import Passage

T = TypeVar("T")
Key = TypeVar("Key")
Value = TypeVar("Value")
Meanings = Mapping[str, bool]
"""The documents that share a name, each with whether the name is its whole title."""
_FILTERS = 16
"""Computed values are cached for so many filters; the least recently used one is dropped first."""
_ENTRIES = 20_000


class ComputedValues:
    """Values by filter and name. Threads that ask for the same value at once wait until one of them has made it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._values: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def get(self, filter: str, name: str, make: Callable[[], T]) -> T:
        """Give the value, and make it first if it is not there."""
        with self._lock:
            values = self._values.setdefault(filter, {})
            self._values.move_to_end(filter)
            if name not in values:
                values[name] = make()
            while len(self._values) > _FILTERS:
                self._values.popitem(last=False)
            found: T = values[name]
            return found


class ReadValues(Generic[Key, Value]):
    """Values that were read before; when they become too many, all are dropped."""

    def __init__(self) -> None:
        self.known: dict[Key, Value] = {}

    def add(self, found: Mapping[Key, Value]) -> None:
        if len(self.known) + len(found) > _ENTRIES:
            self.known = {}  # not emptied: another thread may be reading the old one
        self.known.update(found)


class GenerationCache:
    """Everything that views of one generation share."""

    def __init__(self) -> None:
        self.passages: ReadValues[int, Passage] = ReadValues()
        self.openings: ReadValues[tuple[str, int], tuple[tuple[int, str], ...]] = ReadValues()
        """Numbers and ids of the first passages of a document, by its id and how many were asked for."""
        self.meanings: ReadValues[int, Meanings] = ReadValues()
        self.computed = ComputedValues()
