"""Scales, ticks and the frame that the charts are drawn in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from multihop.rendering.html import Markup, el, join
from multihop.rendering.svg import caption

WIDTH = 460.0
LETTER = 8.4
"""About how wide a letter is at most at the size of the labels."""
COLORS = 8


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie between two positions of the drawing."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    label: str = ""
    log: bool = False

    def at(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def tick_label(self, tick: float) -> str:
        return f"{tick:,.10g}"


def even_ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Choose round, evenly spaced values from low to high."""
    raw = (high - low) / most
    if raw <= 0:
        return (low,)
    power = 10.0 ** math.floor(math.log10(raw))
    # Steps people count in; a thousandth less, or a rounding error would skip to the next coarser one.
    step = next(s * power for s in (1, 2, 2.5, 5, 10, 20) if s * power >= raw * 0.999)
    # Counted in whole steps: added up, steps such as 0.1 would drift off their labels.
    first = math.ceil(low / step - 1e-9)
    return tuple(round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1))


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Choose 1, 2, 5, 10 … between low and high, or powers of ten alone when those would be many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) < 5 else (1,)
    return tuple(v for p in powers for s in steps if low <= (v := round(s * 10.0**p, 10)) <= high)


def share_axis(values: Sequence[float], start: float, end: float, label: str, whole: bool = True) -> Axis:
    """Make an axis of shares: from 0 to 1, or from a little below the values to 1, the best that there can be."""
    # Down to the next twentieth below the values, so that near systems can be told apart; never above 0.9.
    low = 0.0 if whole or not values else min(0.9, max(0.0, math.floor((min(values) - 0.02) * 20) / 20))
    return Axis(low, 1.0, start, end, even_ticks(low, 1.0, 5), label)


def frame(x: Axis, y: Axis) -> Markup:
    """Draw grid lines, tick labels and the names of both axes."""
    parts = [
        el("line", x1=x.start, x2=x.end, y1=y.at(t), y2=y.at(t), class_="base" if t == y.low else "grid")
        for t in y.ticks
    ]
    parts += [caption(x.start - 7, y.at(t) + 4, y.tick_label(t), anchor="end") for t in y.ticks]
    parts += [el("line", x1=x.at(t), x2=x.at(t), y1=y.start, y2=y.start + 4, class_="base") for t in x.ticks]
    parts += [caption(x.at(t), y.start + 17, x.tick_label(t), anchor="middle") for t in x.ticks]
    parts.append(el("line", x1=x.start, x2=x.end, y1=y.start, y2=y.start, class_="base"))
    parts.append(caption((x.start + x.end) / 2, y.start + 35, x.label, anchor="middle", kind="axis"))
    parts.append(caption(4, 12, y.label, kind="axis"))
    return join(parts)


def scale(x: Axis, top: float, bottom: float) -> tuple[list[Markup], list[Markup]]:
    """Draw the upright grid lines of a chart of bars, which lie behind them, and the labels of its axis below."""
    grid = [el("line", x1=x.at(t), x2=x.at(t), y1=top, y2=bottom, class_="grid") for t in x.ticks]
    labels = [caption(x.at(t), bottom + 14, x.tick_label(t), anchor="middle") for t in x.ticks]
    return grid, [*labels, caption((x.start + x.end) / 2, bottom + 32, x.label, anchor="middle", kind="axis")]


def marker(color: int, x: float, y: float, about: object = "", size: float = 4.5) -> Markup:
    """Draw the mark of a series: its shape tells it apart where its color does not."""
    title = el("title", about) if about else Markup()
    s, kind = size, f"mark c{color % COLORS}"
    corners: tuple[tuple[float, float], ...]
    # Shifted by one each time the colors begin again: no two of 32 systems share both color and shape.
    match (color + color // COLORS) % 4:
        case 0:
            return el("circle", title, cx=x, cy=y, r=s, class_=kind)
        case 1:
            return el("rect", title, x=x - s + 0.5, y=y - s + 0.5, width=2 * s - 1, height=2 * s - 1, class_=kind)
        case 2:
            corners = ((x, y - s - 1), (x + s + 1, y + s - 0.5), (x - s - 1, y + s - 0.5))
        case _:
            corners = ((x, y - s - 1.5), (x + s + 1.5, y), (x, y + s + 1.5), (x - s - 1.5, y))
    return el("polygon", title, points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), class_=kind)


def key(color: int) -> Markup:
    """Draw the mark of a series beside its name in running text."""
    return el("svg", marker(color, 7, 7), class_="key", viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")


def named_keys(systems: Sequence[tuple[str, int]]) -> Markup:
    """Name the marks of systems, for a chart where there is no room to do it beside them."""
    return el("ul", *(el("li", key(color), name) for name, color in systems), class_="legend")
