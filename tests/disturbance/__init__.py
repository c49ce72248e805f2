"""Disturbs the ranker's scores by as much as two processors may differ, where `MULTIHOP_TEST_NOISE` gives seeds.

What tests and documentation show must not stand on a near tie. Programs that a test starts are disturbed as well: the
`sitecustomize` beside this file is on their path.
"""

from __future__ import annotations

import os
from hashlib import md5
from itertools import combinations
from pathlib import Path

LARGEST_DIFFERENCE = 0.1
"""How far the scores of two processors may be apart, as docs/auto.md says; models/test_processors.py checks it."""
SETTING = "MULTIHOP_TEST_NOISE"


def key_of(question: str, pair: tuple[str, str]) -> str:
    """Identify what the ranker reads."""
    return md5(repr((question, *pair)).encode()).hexdigest()


_RAISED = tuple(combinations("12345", 2))
"""Sets of seeds, none within another: for two scores with different sets, some seed raises the first and lowers the
second, and some seed does the opposite. Five random disturbances miss half of the ties that processors may break."""


def noise(key: str) -> float:
    """Give the disturbance of a score, at least half the largest and always the same for a seed; 0 without a seed."""
    if not (seed := os.environ.get(SETTING)):
        return 0.0
    chosen = _RAISED[int.from_bytes(md5(key.encode()).digest()[:4], "big") % len(_RAISED)]
    drawn = md5(f"{seed}{key}".encode()).digest()
    raised = seed in chosen if any(seed in each for each in _RAISED) else drawn[0] % 2 == 0
    # Not all by the same: two scores with the same set are to part as well.
    size = LARGEST_DIFFERENCE * (1 + drawn[1] / 0xFF) / 2
    return size if raised else -size


def python_path(*folders: str | Path) -> str:
    """Give the path of modules for a program that a test starts."""
    own = [Path(__file__).parent / "started"] if os.environ.get(SETTING) else []
    return os.pathsep.join(map(str, (*folders, *own)))
