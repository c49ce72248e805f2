"""A guard against work that never ends (a pattern that backtracks, a loop that stands still). It measures nothing.

However slow a machine is, what waits here waits long enough; only what hangs is ended.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

ENOUGH = 900
"""Seconds that any test waits for something that is bound to come, be the machine ever so busy."""


@contextmanager
def patience(seconds: int = ENOUGH) -> Iterator[None]:
    def lost(number: int, frame: object) -> None:
        raise AssertionError(f"still at it after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, lost)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
