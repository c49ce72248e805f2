"""Reports of what a check of an index found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from multihop.types import Check


def dangling(counts: Mapping[str, int]) -> Iterator[Check]:
    """Report dangling references; a sound index has none."""
    return (Check(name, count == 0, f"{count} dangling") for name, count in counts.items())


def after_repair(before: Sequence[Check], after: Sequence[Check]) -> list[Check]:
    """Return for each check whether it was repaired, and then what was wrong."""
    return [
        replace(was, ok=True, repaired=True) if now.ok and not was.ok else now
        for was, now in zip(before, after, strict=True)
    ]
