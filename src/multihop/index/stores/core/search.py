"""Limits that both stores search by, so that they rank alike."""

from __future__ import annotations

EXACT = 20_000
"""Up to so many vectors a search compares them all; above, it uses an approximate index."""
COMMON = 15
"""A rough search leaves out words that more than one passage in so many uses."""
