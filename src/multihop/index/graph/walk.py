"""Collects the neighborhood of passages along relations and mention links, most confident first, within the filter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from multihop.errors import InvalidInput
from multihop.index.graph.neighborhood import MENTIONS, Edge, Neighborhood, Node
from multihop.protocols import View
from multihop.types import Link

MOST_STEPS = 3
_NAMES = 8
"""How many names of a passage are followed, and how many passages that name it."""
_LOOKED_AT = 200
"""How many passages of a document are looked at for where to begin."""


def around(view: View, passages: Sequence[str], *, steps: int = 2, most: int = 30) -> Neighborhood:
    """Walk up to `steps` steps from the passages; of all that is reached the `most` surest are kept."""
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise InvalidInput(f"steps is how far to walk, 1 to {MOST_STEPS}; got {steps!r}")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most is how many passages to show, at least 1; got {most!r}")
    known = view.passages(passages)
    reached = dict.fromkeys(known, (0, 1.0, ""))
    frontier = list(reached)
    for distance in range(1, steps + 1):
        neighbors: dict[str, tuple[int, float, str]] = {}
        for edge in _edges(view, frontier):
            for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
                if here in frontier and there not in reached:
                    way = (distance, round(reached[here][1] * edge.confidence, 4), here)
                    # Of ways that are equally sure the one from the greater id, so that a walk is always the same.
                    if there not in neighbors or (way[1], here) > (neighbors[there][1], neighbors[there][2]):
                        neighbors[there] = way
        # Beyond what can be shown anyway, a step further would only cost time.
        frontier = sorted(neighbors, key=lambda passage: (-neighbors[passage][1], passage))[:most]
        reached |= neighbors
    return _keep_surest(view, reached, most)


def starts_of(view: View, document: str, most: int = 6) -> list[str]:
    """Choose where a walk around a document begins: at its passages with the most edges, in reading order.

    That each of them follows the one before counts for nothing. A document that nothing is joined with is looked at
    from its opening; one that does not exist from nowhere.
    """
    own = view.passages_of([document], _LOOKED_AT).get(document, [])
    stated = (edge for edge in _edges(view, own) if edge.method != "order")
    joined = Counter(end for edge in stated for end in {edge.source, edge.target})
    busiest = sorted((p for p in own if joined[p]), key=lambda passage: (-joined[passage], own.index(passage)))[:most]
    return sorted(busiest, key=own.index) or own[:1]


def _keep_surest(view: View, reached: dict[str, tuple[int, float, str]], most: int) -> Neighborhood:
    # Where the walk began stays, whatever else is surer.
    order = sorted(reached, key=lambda p: (reached[p][0] > 0, -reached[p][1], p))
    kept: list[str] = []
    for id in order:
        # A passage is shown only together with the one that leads to it.
        if len(kept) < most and (not reached[id][2] or reached[id][2] in kept):
            kept.append(id)
    loaded = view.passages(kept)
    nodes = tuple(Node(loaded[id], *reached[id]) for id in kept if id in loaded)
    ids = {node.id for node in nodes}
    edges = {(e.source, e.target, e.kind): e for e in _edges(view, kept) if e.source in ids and e.target in ids}
    return Neighborhood(nodes, tuple(edges[key] for key in sorted(edges)), len(reached) - len(nodes))


def _edges(view: View, passages: Sequence[str]) -> Iterable[Edge]:
    """Return what starts from or leads to these passages, in a fixed order."""
    relations = {*view.relations_from(passages), *view.relations_to(passages)}
    edges = [Edge(r.source, r.target, r.kind, r.confidence, r.evidence, r.method) for r in relations]
    out = view.links_from(passages, _NAMES)
    opening = view.passages_of({link.target for link in out}, 1)
    edges += [_mention(link, target) for link in out for target in opening.get(link.target, ())]
    first = {p.document_id: p.id for p in view.passages(passages).values() if p.position == 0}
    edges += [_mention(link, first[link.target]) for link in view.links_to(sorted(first), _NAMES)]
    return sorted(edges, key=lambda e: (e.source, e.target, e.kind, e.evidence))


def _mention(link: Link, target: str) -> Edge:
    confidence = 1 / link.ambiguity / (1 + math.log(max(1, link.spread)) / 4)
    return Edge(link.source, target, MENTIONS, round(confidence, 3), f"names “{link.name}”", "mentions")
