"""Caches of one generation of an index. A generation never changes, so what was read or computed stays true."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from multihop.types import Passage

T = TypeVar("T")
Key = TypeVar("Key")
Value = TypeVar("Value")
_FILTERS = 16
"""Filters that computed values are cached for; the least recently used one is dropped first."""
_ENTRIES = 20_000
MOST_MEANINGS = 100
"""Documents of one name that links lead to."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """The documents that share a name, each with whether the name is its whole title; capped for frequent names.

    What thousands of documents are called tells almost nothing, and must not cost as much as they are many.
    """

    documents: Mapping[str, bool]
    whole: int
    """How many documents have the name as their whole title, listed or not."""
    total: int
    stubs: frozenset[str] = frozenset()
    """Documents that have the name and hardly say anything, beside one that does: nobody means them."""

    @classmethod
    def of(cls, documents: Mapping[str, bool]) -> Meanings:
        """Keep the first few of them: those whose whole title it is, then by id."""
        kept = documents
        if len(documents) > MOST_MEANINGS:
            kept = dict(sorted(documents.items(), key=lambda each: (not each[1], each[0]))[:MOST_MEANINGS])
        return cls(kept, sum(documents.values()), len(documents))


class ComputedValues:
    """Values by filter and name; concurrent requests for one value compute it once."""

    def __init__(self) -> None:
        # Held while a value is made. Reentrant, since making one may ask for another.
        self._lock = threading.RLock()
        self._values: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def get(self, filter: str, name: str, make: Callable[[], T]) -> T:
        """Return the value, and make it first if it is not there."""
        with self._lock:
            values = self._values.setdefault(filter, {})
            self._values.move_to_end(filter)
            if name not in values:
                values[name] = make()
            while len(self._values) > _FILTERS:
                self._values.popitem(last=False)
            value: T = values[name]
            return value


class ReadValues(Generic[Key, Value]):
    """A cache of values that is emptied when it grows too large."""

    def __init__(self) -> None:
        self.known: dict[Key, Value] = {}

    def add(self, read: Mapping[Key, Value]) -> None:
        if len(self.known) + len(read) > _ENTRIES:
            self.known = {}  # not emptied: another thread may be reading the old one
        self.known.update(read)


class GenerationCache:
    """Everything that views of one generation share."""

    def __init__(self) -> None:
        self.passages: ReadValues[int, Passage] = ReadValues()
        self.openings: ReadValues[tuple[str, int], tuple[tuple[int, str], ...]] = ReadValues()
        """Numbers and ids of the first passages of a document, by its id and how many were asked for."""
        self.meanings: ReadValues[int, Meanings] = ReadValues()
        self.computed = ComputedValues()
