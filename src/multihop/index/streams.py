"""Working through long streams: in batches, with or without a report of progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut a stream into lists of at most `size` items."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch


def ignore_progress(stage: str, done: int, total: int | None) -> None:
    """Take the place of a `Progress` that nobody asked for."""
