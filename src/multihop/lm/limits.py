"""What a question may cost: calls, tokens and seconds of a language model, and how much of them is spent."""

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
    """The most that one question may cost. A step that would go beyond is done by its rule."""

    calls: int = 12
    tokens: int = 200_000
    """In and out together; counted when a call is over, so the last one may go beyond."""
    seconds: float = 120.0
    """Spent waiting for the model, over the whole question."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or value < 0 or not math.isfinite(value):
                raise InvalidInput(f"the limit on {field.name} is a number from 0 on, got {value!r}")


class Usage:
    """What one question has spent. Used by the thread that asks; only `extra` may be called from another."""

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
        """Take one call out of the budget; gives the reason when there is none left."""
        if self._tokens >= self.limits.tokens:
            return f"the limit of {self.limits.tokens} tokens is reached"
        if self.seconds_left <= 0.0:
            return f"the limit of {self.limits.seconds:g} seconds is reached"
        return self.admit_retry()

    def admit_retry(self) -> str:
        """Take a further call of a step that was admitted, such as a second try of an adapter in another format."""
        # Steps of one hop run in threads, and each of them may try again.
        with self._lock:
            if self._taken >= self.limits.calls:
                return f"the limit of {self.limits.calls} calls is reached"
            self._taken += 1
        return ""

    def add_wait(self, since: float) -> None:
        """Count the time from `since` until now, which all calls of a batch share."""
        self._waited += self.now() - since

    def record(self, call: LmCall) -> None:
        self.calls.append(call)
        # What came out of a cache was paid for by an earlier question.
        if not call.cached:
            self._tokens += call.tokens_in + call.tokens_out
