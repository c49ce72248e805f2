"""What both stores search by, so that they rank alike."""

from __future__ import annotations

import math

K1, B = 1.2, 0.75
"""The constants of BM25."""
EXACT = 20_000
"""Up to this many vectors a search compares them all; above, it uses an approximate index."""
COMMON = 15
"""A rough search leaves out words that more than one passage in this many uses."""


def idf(passages: int, used: int) -> float:
    """Return the weight of a word by the number of passages that use it, as in BM25."""
    return math.log(1 + (passages - used + 0.5) / (used + 0.5))
