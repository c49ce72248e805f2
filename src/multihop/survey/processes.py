"""Work on several groups at a time, each part in a process of its own: scoring passages keeps a core busy."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")
_PARTS = 3
"""So many parts for each process: one that is done early takes another."""
_WORTH = 8
"""Fewer groups for a process than this take longer to hand out than to work on."""


def usual_jobs(groups: int) -> int:
    """Return how many processes are worth starting for so many groups on this machine."""
    return max(1, min(os.cpu_count() or 1, groups // _WORTH))


def in_processes(
    work: Callable[[Sequence[Item]], Done], items: Sequence[Item], jobs: int
) -> Iterator[tuple[Sequence[Item], Done]]:
    """Have parts of some items worked on in other processes; returns each part and what came of it, as it is done.

    The processes are started anew, not forked: an engine does not survive that.
    """
    size = max(1, math.ceil(len(items) / (jobs * _PARTS)))
    parts = [items[i : i + size] for i in range(0, len(items), size)]
    started = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=started, initializer=_leave_interrupts) as pool:
        waiting = {pool.submit(work, part): part for part in parts}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            # Also where the caller stops taking: parts that have not begun are not begun.
            pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Ignore Ctrl-C in workers; the main process ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
