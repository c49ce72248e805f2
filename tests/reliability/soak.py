"""How long these tests run: short with all others, long with `make soak`."""

from __future__ import annotations

import os

from hypothesis import settings

SHARE = float(os.environ.get("MULTIHOP_SOAK") or 0)
"""Which share of the long form is wanted; 0 for the short one."""


def rounds(short: int, long: int) -> int:
    """Give the number of rounds of a test: that of the long form, or the wanted share of it."""
    return max(short, round(long * SHARE))


def examples(count: int) -> settings:
    """Try a fifth of so many generated cases, or in the long form up to ten times as many."""
    return settings(max_examples=rounds(count // 5, 10 * count))
