"""What was computed from one generation of an index, kept while that generation is in use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_FILTERS = 16
"""For so many filters at most something is remembered; the one not used for longest is forgotten first."""


class Memory:
    """Values by filter and name. Threads that ask for the same value at once wait until one of them has made it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._values: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def recall(self, filter: str, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            values = self._values.setdefault(filter, {})
            self._values.move_to_end(filter)
            if name not in values:
                values[name] = make()
            while len(self._values) > _FILTERS:
                self._values.popitem(last=False)
            found: T = values[name]
            return found
