"""Charts as inline SVG: lines, bars with intervals, points with intervals, stacked bars.

Not left to a plotting library: these follow the colors of the page, open offline and need nothing installed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from multihop.evaluation.measures import Estimate
from multihop.evaluation.page.axes import (
    COLORS,
    LETTER,
    WIDTH,
    Axis,
    even_ticks,
    frame,
    log_ticks,
    marker,
    named_keys,
    scale,
    share_axis,
)
from multihop.evaluation.page.numbers import interval, milliseconds, share
from multihop.rendering.html import Markup, el, join
from multihop.rendering.phrases import pluralize, shorten
from multihop.rendering.svg import caption, drawing

_NAME = 18
"""Letters of a system's name that fit beside a chart."""
_BESIDE = 12
"""How many names fit beside the ends of lines; with more they are listed above."""


@dataclass(frozen=True, slots=True)
class Series:
    """The values of one system; its place among the systems is its color and its mark."""

    name: str
    color: int
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """One system as a point: its median and 95th percentile of time, and its quality."""

    name: str
    color: int
    p50: float
    p95: float
    quality: Estimate


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart is called: a name for links, a title, a description."""

    id: str
    title: str
    about: str


def _svg(chart: Chart, height: float, *content: Markup) -> Markup:
    return drawing(WIDTH, height, *content, title=chart.title, id=chart.id, about=chart.about)


def lines(
    chart: Chart, series: Sequence[Series], labels: tuple[str, str], log: bool = False, whole: bool = True
) -> Markup:
    """Draw shares along a line, with the name of each at its end."""
    bottom, crowded = 262.0, len(series) > _BESIDE
    beside = 0.0 if crowded else LETTER * max((len(shorten(s.name, _NAME)) for s in series), default=0)
    right = WIDTH - 28 - beside
    across = sorted({x for s in series for x, _ in s.points})
    # A single value needs an axis of some width, or every place on it would be a division by zero.
    low, high = (across[0], across[-1]) if len(across) > 1 else (across[0] * 0.9, across[0] * 1.1)
    x = Axis(low, high, 40.0, right, tuple(across), labels[0], log)
    y = share_axis([v for s in series for _, v in s.points], bottom, 26.0, labels[1], whole)
    drawn = [join(_line(s, x, y, labels[0])) for s in series]
    if crowded:
        keys = named_keys([(s.name, s.color) for s in series])
        return join([keys, _svg(chart, bottom + 42, frame(x, y), *drawn)])
    ends = [(s.name, s.color, y.at(s.points[-1][1])) for s in series]
    return _svg(chart, bottom + 42, frame(x, y), *drawn, _end_labels(ends, x.end, bottom))


def _line(series: Series, x: Axis, y: Axis, unit: str) -> list[Markup]:
    places = [(x.at(a), y.at(b)) for a, b in series.points]
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    kind = f"line c{series.color % COLORS}" + (" dashed" if series.color >= COLORS else "")
    parts = [el("path", d=path, class_=kind)]
    if places[-1][0] < x.end - 1:
        # A system that stops early keeps what it has.
        parts.append(el("path", d=f"M{places[-1][0]:.1f} {places[-1][1]:.1f}H{x.end:.1f}", class_=f"{kind} kept"))
    for (a, b), (at, value) in zip(places, series.points, strict=True):
        parts.append(marker(series.color, a, b, f"{series.name}: {share(value)} ({unit} {at:g})"))
    return parts


def _end_labels(ends: Sequence[tuple[str, int, float]], x: float, bottom: float) -> Markup:
    ordered = sorted(ends, key=lambda e: e[2])
    parts = []
    for (name, color, _), y in zip(ordered, _apart([y for _, _, y in ordered], 22.0, bottom), strict=True):
        parts += [marker(color, x + 17, y, name, 3.5), caption(x + 25, y + 4, shorten(name, _NAME), kind="name")]
    return join(parts)


def _apart(heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Move sorted heights as little as need be for labels: those that would meet are centered where they were."""
    gap = min(15.0, (bottom - top) / max(1, len(heights) - 1))
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        # Joining may make a group meet the one before it in turn, hence the loop.
        while len(groups) > 1 and _first(groups[-2], gap) + gap * len(groups[-2]) > _first(groups[-1], gap):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = [_first(g, gap) + gap * i for g in groups for i in range(len(g))]
    last = len(placed) - 1
    for i, y in enumerate(placed):
        placed[i] = min(max(y, top + gap * i), bottom - gap * (last - i))
    return placed


def _first(group: Sequence[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def bars(chart: Chart, groups: Mapping[str, Sequence[tuple[str, int, Estimate]]], label: str) -> Markup:
    """Draw a bar with its interval for every system in every group, named and with its value."""
    names = [shorten(name, _NAME) for rows in groups.values() for name, _, _ in rows]
    left = 14 + LETTER * max(map(len, names), default=0)
    x = Axis(0.0, 1.0, left, WIDTH - 48, (0, 0.2, 0.4, 0.6, 0.8, 1), label)
    top, parts = 4.0, []
    for group, rows in groups.items():
        n = max((e.n for _, _, e in rows), default=0)
        parts.append(caption(2, top + 14, f"{shorten(group, 34)} · {pluralize(n, 'question')}", kind="group"))
        top += 22
        for name, color, estimate in rows:
            parts.append(_bar(name, color, estimate, x, top, f"{group}, {name}"))
            top += 20
        top += 10
    grid, labels = scale(x, 4.0, top)
    return _svg(chart, top + 38, *grid, *parts, *labels)


def _bar(name: str, color: int, value: Estimate, x: Axis, top: float, about: str) -> Markup:
    parts = [caption(x.start - 7, top + 12, shorten(name, _NAME), anchor="end")]
    if math.isnan(value.mean):
        return join([*parts, caption(x.start + 4, top + 12, "–")])
    title = el("title", f"{about}: {share(value.mean)}, 95 % interval {interval(value)}")
    parts.append(
        el("rect", title, x=x.start, y=top + 1, width=max(1.0, x.at(value.mean) - x.start), height=14,
           class_=f"bar c{color % COLORS}")
    )  # fmt: skip
    parts.append(_whisker(x.at(value.low), x.at(value.high), top + 8))
    parts.append(caption(WIDTH - 2, top + 12, share(value.mean), anchor="end", kind="value"))
    return join(parts)


def _whisker(start: float, end: float, y: float) -> Markup:
    path = f"M{start:.1f} {y:.1f}H{end:.1f}M{start:.1f} {y - 3:.1f}v6M{end:.1f} {y - 3:.1f}v6"
    # Under it a wider stroke in the color of the paper: a whisker is seen on a dark bar, too.
    return join([el("path", d=path, class_="halo"), el("path", d=path, class_="whisker")])


def spots(chart: Chart, points: Sequence[Spot], label: str, time: str = "median time a question, ms") -> Markup:
    """Draw quality against time: the mark at the median, a thin line to the 95th percentile, an upright interval."""
    bottom, times = 262.0, [t for p in points for t in (p.p50, p.p95)]
    # A logarithmic axis knows no zero, and a time can be rounded to it.
    fastest, slowest = max(min(times), 1e-3), max(*times, 2e-3)
    # On a linear axis the fast systems would all lie at its left end.
    log = max(p.p50 for p in points) > 20 * max(min(p.p50 for p in points), 1e-3)
    low, high = (fastest / 1.5, slowest * 1.6) if log else (0.0, slowest * 1.12)
    ticks = log_ticks(low, high) if log else even_ticks(low, high)
    x = Axis(low, high, 40.0, WIDTH - 14, ticks, time + (" (log scale)" if log else ""), log)
    y = share_axis([v for p in points for v in (p.quality.low, p.quality.high)], bottom, 26.0, label, whole=False)
    parts, taken = [], []
    for p in points:
        a, b, far = x.at(max(p.p50, fastest)), y.at(p.quality.mean), x.at(max(p.p95, fastest))
        about = f"{p.name}: {share(p.quality.mean)} at {milliseconds(p.p50)} ms (95th percentile {milliseconds(p.p95)})"
        kind = f"line thin c{p.color % COLORS}"
        parts.append(el("path", d=f"M{a:.1f} {b:.1f}H{far:.1f}", class_=f"{kind} kept"))
        parts.append(el("path", d=f"M{a:.1f} {y.at(p.quality.low):.1f}V{y.at(p.quality.high):.1f}", class_=kind))
        parts.append(marker(p.color, a, b, about, 6))
        taken += [
            (a - 6, b - 6, a + 6, b + 6),
            (a, b - 1, far, b + 1),
            (a - 1, y.at(p.quality.high), a + 1, y.at(p.quality.low)),
        ]
    names = [_spot_label(p.name, x.at(max(p.p50, fastest)), y.at(p.quality.mean), taken) for p in points]
    beside = [n for n in names if n]
    if len(beside) < len(points):
        keys = named_keys([(p.name, p.color) for p in points])
        return join([keys, _svg(chart, bottom + 42, frame(x, y), *parts)])
    return _svg(chart, bottom + 42, frame(x, y), *parts, *beside)


def _spot_label(name: str, x: float, y: float, taken: list[tuple[float, float, float, float]]) -> Markup | None:
    """Write the name where it hides neither a mark nor another name, if there is such a place."""
    shown = shorten(name, _NAME)
    wide = LETTER * len(shown)
    for a, b in ((x + 9, y - 6), (x - 9 - wide, y - 6), (x + 9, y + 16), (x - 9 - wide, y + 16)):
        box = (a, b - 11, a + wide, b + 3)
        free = not any(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken)
        # Beyond the axis or the edge a name would be cut off.
        if free and box[0] > 40 and box[2] < WIDTH:
            taken.append(box)
            return caption(a, b, shown, kind="name")
    return None


def stacked_bars(
    chart: Chart,
    rows: Sequence[tuple[str, Mapping[str, float], str]],
    kinds: Sequence[str],
    written: Callable[[float], str],
    label: str,
) -> Markup:
    """Draw a bar of parts for every system: its name, the parts by kind, and what to write behind it."""
    left = 14 + LETTER * max((len(shorten(name, _NAME)) for name, _, _ in rows), default=0)
    right = WIDTH - 12 - LETTER * max((len(total) for _, _, total in rows), default=0)
    longest = max((sum(parts.values()) for _, parts, _ in rows), default=0.0) or 1.0
    x = Axis(0.0, longest, left, right, even_ticks(0.0, longest, 4), label)
    top, drawn = 4.0, []
    for name, parts, total in rows:
        drawn.append(caption(x.start - 7, top + 16, shorten(name, _NAME), anchor="end"))
        drawn.append(_parts(name, parts, kinds, x, top, written))
        drawn.append(caption(x.at(sum(parts.values())) + 7, top + 16, total, kind="value"))
        top += 32
    grid, labels = scale(x, 2.0, top)
    return _svg(chart, top + 38, *grid, *drawn, *labels)


def _parts(
    name: str, parts: Mapping[str, float], kinds: Sequence[str], x: Axis, top: float, written: Callable[[float], str]
) -> Markup:
    drawn, done = [], 0.0
    for i, kind in enumerate(kinds):
        value = parts.get(kind, 0.0)
        if value <= 0:
            continue
        start, wide = x.at(done), x.at(done + value) - x.at(done)
        title = el("title", f"{name}, {kind}: {written(value)}")
        color, shown = f"p{i % COLORS}", written(value)
        drawn.append(el("rect", title, x=start, y=top, width=wide, height=24, class_=f"part {color}"))
        if wide > LETTER * len(shown) + 6:
            drawn.append(caption(start + wide / 2, top + 16, shown, anchor="middle", kind=f"inside {color}"))
        done += value
    return join(drawn)


def legend(kinds: Sequence[str]) -> Markup:
    """Name the parts of stacked bars."""
    items = []
    for i, kind in enumerate(kinds):
        square = el("rect", width=12, height=12, class_=f"part p{i % COLORS}")
        swatch = el("svg", square, class_="key", width=12, height=12, viewBox="0 0 12 12", aria_hidden="true")
        items.append(el("li", swatch, " ", kind))
    return el("ul", *items, class_="legend")


def strip(estimate: Estimate, color: int) -> Markup:
    """Draw an estimate and its interval between 0 and 1, small enough for a cell of a table."""
    if math.isnan(estimate.mean):
        return Markup()
    x = Axis(0.0, 1.0, 4.0, 106.0, ())
    low, high = x.at(estimate.low), x.at(estimate.high)
    return el(
        "svg",
        el("line", x1=4, x2=106, y1=8, y2=8, class_="grid"),
        el("path", d=f"M{low:.1f} 8H{high:.1f}M{low:.1f} 4v8M{high:.1f} 4v8", class_=f"line thin c{color % COLORS}"),
        marker(color, x.at(estimate.mean), 8, size=3.0),
        class_="strip", viewBox="0 0 110 16", width=110, height=16, aria_hidden="true",
    )  # fmt: skip
