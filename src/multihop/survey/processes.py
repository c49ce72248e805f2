"""Processes groups in parallel, in worker processes, since scoring is CPU-bound."""

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
"""Parts for each process, so that one that finishes early takes another."""
_WORTH = 8
"""Minimum number of groups for each process."""


def default_jobs(groups: int) -> int:
    """Return the number of processes for a number of groups on this machine."""
    return max(1, min(os.cpu_count() or 1, groups // _WORTH))


def in_processes(
    work: Callable[[Sequence[Item]], Done], items: Sequence[Item], jobs: int
) -> Iterator[tuple[Sequence[Item], Done]]:
    """Process parts of some items in other processes; yields each part and its result as it completes.

    Processes are spawned, not forked, since an engine does not survive a fork.
    """
    size = max(1, math.ceil(len(items) / (jobs * _PARTS)))
    parts = [items[i : i + size] for i in range(0, len(items), size)]
    started = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=started, initializer=_ignore_interrupts) as pool:
        waiting = {pool.submit(work, part): part for part in parts}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            # Also if the caller stops early: pending parts are cancelled.
            pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in workers; the main process stops them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
