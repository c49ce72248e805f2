"""Detects missing CPU instructions that slow down the built-in models; results are the same on every processor."""

from __future__ import annotations

import platform
from collections.abc import Set
from functools import cache
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")
_DOT_PRODUCTS = {
    "x86_64": ({"avx512_vnni", "avx_vnni"}, "VNNI"),
    "aarch64": ({"asimddp"}, "dot-product (asimddp)"),
}
"""By machine: the CPU flags, of which one is enough, and the name of the instructions."""


@cache
def limitation() -> str | None:
    """Describe the missing instructions of this processor; None if there are none, or that is unknown."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    flags = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    return limitation_of(platform.machine(), set(flags.partition(":")[2].split()))


def limitation_of(machine: str, flags: Set[str]) -> str | None:
    """Describe the missing instructions of a processor with these flags."""
    needed, name = _DOT_PRODUCTS.get(machine, (set[str](), ""))
    if not needed or not flags or needed & flags:
        return None
    return f"no {name} instructions: the built-in models run slower, with the same results"
