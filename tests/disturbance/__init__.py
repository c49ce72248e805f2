"""Disturbs the ranker's scores by as much as two processors may differ, where `MULTIHOP_TEST_NOISE` gives seeds.

What tests and documentation show must not stand on a near tie. Programs that a test starts are disturbed as well: the
`sitecustomize` beside this file is on their path.
"""

from __future__ import annotations

import os
from hashlib import md5
from pathlib import Path

LARGEST_DIFFERENCE = 0.1
"""How far the scores of two processors may be apart, as docs/auto.md says; models/test_processors.py checks it."""
SETTING = "MULTIHOP_TEST_NOISE"


def key_of(question: str, pair: tuple[str, str]) -> str:
    """Identify what the ranker reads."""
    return md5(repr((question, *pair)).encode()).hexdigest()


def noise(key: str) -> float:
    """Give the disturbance of a score, the same whenever it is asked for; 0 without a seed."""
    if not (seed := os.environ.get(SETTING)):
        return 0.0
    share = int.from_bytes(md5(f"{seed}{key}".encode()).digest()[:4], "big") / 0xFFFF_FFFF
    return LARGEST_DIFFERENCE * (2 * share - 1)


def python_path(*folders: str | Path) -> str:
    """Give the path of modules for a program that a test starts."""
    own = [Path(__file__).parent / "started"] if os.environ.get(SETTING) else []
    return os.pathsep.join(map(str, (*folders, *own)))
