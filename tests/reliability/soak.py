"""How long these tests run: short with all others, long with `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def rounds(short: T, long: T) -> T:
    """Give what a test does in its short or long form: MULTIHOP_SOAK=1 asks for the long one."""
    return long if os.environ.get("MULTIHOP_SOAK") else short
