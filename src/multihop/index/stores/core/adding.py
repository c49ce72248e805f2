"""Adding a stream of documents of any length, in transactions that grow with the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from multihop.protocols import Edit
from multihop.types import Changed

STEP = 500_000
"""Fewest passages of a transaction, if there are that many."""
GROWTH = 5
"""Above that, passages of a transaction for each one already there: each time all of those are read again."""
MOST = 5_000_000
"""Most passages of a transaction: its memory and its part of the database log must not grow with the corpus."""


def add_in_steps(
    edits: Iterable[Edit],
    apply: Callable[[Iterable[Any]], Changed],
    passages: Callable[[], int],
    least: int | None = None,
) -> Changed:
    """Call `apply` with the edits part by part, and sum up its results.

    Linking earlier passages to new names costs a pass over them, so each transaction takes `GROWTH` times as many new
    passages as there are already (`passages`), not less than `least` and not more than `MOST`: then all passes
    together cost a fraction of the load, up to a few times `MOST`, and beyond that one for each `MOST` passages.
    Passages, not documents, because passages are what is linked, embedded and held in the transaction.
    """
    stream = iter(edits)
    total: Changed | None = None
    # One edit is taken before a transaction begins, so that none begins for nothing.
    for first in stream:
        part = apply(_step(first, stream, min(MOST, max(STEP if least is None else least, GROWTH * passages()))))
        total = part if total is None else _sum(total, part)
    return apply(()) if total is None else total


def _step(first: Edit, stream: Iterator[Edit], size: int) -> Iterator[Edit]:
    for edit in chain((first,), stream):
        yield edit
        size -= len(edit[1]) if isinstance(edit, tuple) else 0
        if size <= 0:
            return


def _sum(total: Changed, part: Changed) -> Changed:
    return Changed(
        total.documents + part.documents,
        total.replaced + part.replaced,
        total.passages + part.passages,
        part.generation,
    )
