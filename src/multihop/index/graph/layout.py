"""The layout of the picture of a neighborhood: a column for each distance, ordered so that few lines cross."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from multihop.index.graph.neighborhood import Neighborhood

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
class GraphLayout:
    """The upper left corner of every box, and the size of the whole."""

    places: dict[str, tuple[float, float]]
    width: float
    height: float
    columns: tuple[float, ...]


def layout(neighborhood: Neighborhood) -> GraphLayout:
    """Place every passage: the same neighborhood always looks the same."""
    columns: dict[int, list[str]] = defaultdict(list)
    for node in neighborhood.nodes:
        columns[node.distance].append(node.id)
    _order(columns, neighborhood)
    tallest = max((len(ids) for ids in columns.values()), default=0)
    height = tallest * (HEIGHT + _GAP) - _GAP
    lefts = tuple(LEFT + distance * (BOX + _BETWEEN) for distance in sorted(columns))
    places: dict[str, tuple[float, float]] = {}
    for left, distance in zip(lefts, sorted(columns), strict=True):
        ids = columns[distance]
        start = TOP + (height - len(ids) * (HEIGHT + _GAP) + _GAP) / 2
        places |= {id: (left, start + place * (HEIGHT + _GAP)) for place, id in enumerate(ids)}
    # Lines within the last column swing out to the right of it.
    width = (lefts[-1] if lefts else LEFT) + BOX + LEFT + 40
    return GraphLayout(places, width, TOP + height, lefts)


def _order(columns: dict[int, list[str]], neighborhood: Neighborhood) -> None:
    """Move each passage to the mean height of those it is joined with, a few times over (Sugiyama et al. 1981)."""
    joined: dict[str, list[str]] = defaultdict(list)
    for edge in neighborhood.edges:
        joined[edge.source].append(edge.target)
        joined[edge.target].append(edge.source)
    height = {id: place - len(ids) / 2 for ids in columns.values() for place, id in enumerate(ids)}
    for _ in range(_ROUNDS):
        for distance in sorted(columns):
            others = {id: [height[other] for other in joined[id]] or [height[id]] for id in columns[distance]}
            mean = {id: sum(heights) / len(heights) for id, heights in others.items()}
            columns[distance].sort(key=lambda passage: (mean[passage], passage))
            height |= {id: place - len(columns[distance]) / 2 for place, id in enumerate(columns[distance])}
