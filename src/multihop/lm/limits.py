"""Language model limits per question (calls, tokens, seconds), and their usage."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields

from multihop.errors import InvalidInput
from multihop.types import LmCall


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per question. A step that would exceed them is done by its rule."""

    calls: int = 12
    tokens: int = 200_000
    """Input and output together; counted after each call, so the last one may exceed the limit."""
    seconds: float = 120.0
    """Total time spent waiting for the model."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or value < 0 or not math.isfinite(value):
                raise InvalidInput(f"the limit on {field.name} must be a non-negative number, got {value!r}")


class Usage:
    """Usage of one question. Not thread-safe, except for `admit_retry`."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.calls: list[LmCall] = []
        self.now = clock
        self._lock = threading.Lock()
        self._taken = 0
        self._tokens = 0
        self._waited = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.limits.seconds - self._waited)

    def admit(self) -> str:
        """Reserve one call; returns the reason if a limit is reached, else ""."""
        if self._tokens >= self.limits.tokens:
            return f"the limit of {self.limits.tokens} tokens is reached"
        if self.seconds_left <= 0.0:
            return f"the limit of {self.limits.seconds:g} seconds is reached"
        return self.admit_retry()

    def admit_retry(self) -> str:
        """Reserve another call for an admitted step, such as an adapter's retry in another format."""
        # Steps of a hop run in threads, and each may retry.
        with self._lock:
            if self._taken >= self.limits.calls:
                return f"the limit of {self.limits.calls} calls is reached"
            self._taken += 1
        return ""

    def add_wait(self, since: float) -> None:
        """Add the time since `since`, shared by all calls of a batch."""
        self._waited += self.now() - since

    def record(self, call: LmCall) -> None:
        self.calls.append(call)
        # Cached responses were paid for by an earlier question.
        if not call.cached:
            self._tokens += call.tokens_in + call.tokens_out
