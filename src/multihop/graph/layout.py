"""Where passages stand in the picture of a neighbourhood: a column for each hop, ordered so that few lines cross."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from multihop.graph.values import Neighbourhood

BOX = 216
"""The width of a box."""
HEIGHT = 46
_GAP = 18
_BETWEEN = 170
"""The room between two columns, for the lines."""
TOP = 64
LEFT = 28
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of every box, and the size of the whole."""

    places: dict[str, tuple[float, float]]
    width: float
    height: float
    columns: tuple[float, ...]


def layout(found: Neighbourhood) -> Layout:
    """Place every passage: the same neighbourhood always looks the same."""
    columns: dict[int, list[str]] = defaultdict(list)
    for node in found.nodes:
        columns[node.hop].append(node.id)
    _order(columns, found)
    tallest = max((len(ids) for ids in columns.values()), default=0)
    height = tallest * (HEIGHT + _GAP) - _GAP
    lefts = tuple(LEFT + hop * (BOX + _BETWEEN) for hop in sorted(columns))
    places: dict[str, tuple[float, float]] = {}
    for left, hop in zip(lefts, sorted(columns), strict=True):
        ids = columns[hop]
        start = TOP + (height - len(ids) * (HEIGHT + _GAP) + _GAP) / 2
        places |= {id: (left, start + place * (HEIGHT + _GAP)) for place, id in enumerate(ids)}
    width = (lefts[-1] if lefts else LEFT) + BOX + LEFT + 40
    return Layout(places, width, TOP + height, lefts)


def _order(columns: dict[int, list[str]], found: Neighbourhood) -> None:
    """Move each passage to the mean height of those it is joined with, a few times over (Sugiyama et al. 1981)."""
    joined: dict[str, list[str]] = defaultdict(list)
    for edge in found.edges:
        joined[edge.source].append(edge.target)
        joined[edge.target].append(edge.source)
    height = {id: place - len(ids) / 2 for ids in columns.values() for place, id in enumerate(ids)}
    for _ in range(_ROUNDS):
        for hop in sorted(columns):
            mean = {id: _mean([height[other] for other in joined[id]], height[id]) for id in columns[hop]}
            columns[hop].sort(key=lambda passage: (mean[passage], passage))
            height |= {id: place - len(columns[hop]) / 2 for place, id in enumerate(columns[hop])}


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
