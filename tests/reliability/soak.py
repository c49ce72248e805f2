"""How long these tests run: short with all others, long with `make soak`."""

from __future__ import annotations

import os


def rounds(short: int, long: int) -> int:
    """Give the number of rounds of a test: MULTIHOP_SOAK=1 asks for the long form."""
    return long if os.environ.get("MULTIHOP_SOAK") else short
