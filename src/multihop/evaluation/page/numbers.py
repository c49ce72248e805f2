"""Shares, intervals, chances and times as the report writes them."""

from __future__ import annotations

import math

from multihop.evaluation.measures import Difference, Estimate

NONE = "–"


def share(value: float) -> str:
    """Format a share."""
    return NONE if math.isnan(value) else f"{value:.3f}"


def interval(value: Estimate | Difference) -> str:
    """Format a 95 % interval."""
    if math.isnan(value.low):
        return ""
    if isinstance(value, Difference):
        return f"{format_difference(value.low)} to {format_difference(value.high)}"
    return f"{share(value.low)}–{share(value.high)}"


def format_difference(value: float) -> str:
    """Format a difference of shares with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def part(n: int, whole: int) -> str:
    """Format a count with its share of the whole."""
    return f"{n:,} ({n / whole:.1%})" if whole else f"{n:,}"


def chance(p: float) -> str:
    """Format a p value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def milliseconds(value: float) -> str:
    """Format a time with about three digits."""
    if math.isnan(value):
        return NONE
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
