"""Estimates the tokens of a text, for budgets; any tokenizer can be used instead."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

Tokenizer = Callable[[str], int]
"""Counts the tokens of a text: `lambda text: len(encoding.encode(text))`."""
_PART = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_+")
_FIRST_IDEOGRAPH = "\u2e80"


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text without a tokenizer: for English, a few percent more than common ones count."""
    return sum(map(_tokens, _PART.findall(text)))


def _tokens(part: str) -> int:
    if part.isascii():
        return -(-len(part) // (3 if part.isdigit() else 6))
    per_letter = 1.5 if max(part) >= _FIRST_IDEOGRAPH else 0.4
    return math.ceil(per_letter * len(part))
