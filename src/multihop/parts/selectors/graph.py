"""Selection on the graph: the learned fusion, with relations and centrality among its features, and paths as reasons.

The passages met so far are the nodes of a small graph, mention links and relations its edges. Personalized PageRank
(Haveliwala 2002) from the passages that match the question says how central each one is to what is asked, as
graph-based retrievers do on a whole corpus (Gutiérrez et al. 2024); here it is done for each question, on what was met.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from multihop import text
from multihop.errors import needs_extra
from multihop.parts.selectors.fusion import WEIGHTS, features, rank_weighted, reasons
from multihop.protocols import Context, Extra, Requirements, State
from multihop.types import Candidate, Choice, Reason, Relation, Selection
from multihop.types.channels import LINK, RARE_LINK, RELATIONS, Channel
from multihop.types.steps import BENCH

if TYPE_CHECKING:
    Edges = dict[tuple[str, str], float]

GRAPH_WEIGHTS: Mapping[str, float] = {**WEIGHTS, "relation": 0.1, "centrality": 0.3}
"""What each feature is worth, fitted on HotpotQA and HoVer train; `benchmarks/graph.py --tune` shows the grid."""
PAGERANK = Requirements(extras=(Extra("graph", "rustworkx"),))
"""What computing centrality needs."""
_LONGEST_PATH = 4


@dataclass(frozen=True, slots=True)
class GraphFusion:
    """Keeps the k passages with the largest weighted sum of features, relations and centrality among them."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(GRAPH_WEIGHTS))
    damping: float = 0.5
    """How much of a passage's rank it passes on along its edges; the rest goes back to what matches the question."""
    names: int = 10
    """How many names of a passage are edges, the least used ones."""
    nodes: int = 40
    """How many passages the graph holds, the best by everything else: the others cannot rise far enough to matter."""

    @property
    def requirements(self) -> Requirements:
        return PAGERANK

    def select(self, state: State, context: Context) -> Selection:
        table = graph_features(state, context, self)
        best = rank_weighted(table, self.weights)[: state.k + BENCH]
        paths = Paths(state, context, [id for _, id in best])
        ranked = [Choice.of(id, -worse, self._reasons(state, id, table[id], paths)) for worse, id in best]
        return Selection.of(ranked, state.k)

    def _reasons(self, state: State, id: str, row: Mapping[str, float], paths: Paths) -> list[Reason]:
        if state.pool[id].hop == 1:
            return reasons(state, id, row, self.weights)
        # The path tells of links and relations better than the reason would.
        own = {name: value for name, value in row.items() if name not in (LINK, RARE_LINK, "relation")}
        path = paths.of(id)
        return [*([Reason(path)] if path else []), *reasons(state, id, own, self.weights)]


def graph_features(state: State, context: Context, fusion: GraphFusion) -> dict[str, dict[str, float]]:
    """Describe every candidate of the pool, with the relation it was met by and its centrality."""
    table = features(state, fusion.weights)
    for id, row in table.items():
        strongest = max((state.pool[id].scores.get(kind, 0.0) for kind in RELATIONS), default=0.0)
        if strongest > 0.0 and "relation" in fusion.weights:
            row["relation"] = strongest
    worth = {id: max(0.0, sum([fusion.weights[n] * v for n, v in row.items()])) for id, row in table.items()}
    best = sorted(worth, key=lambda passage: (-worth[passage], passage))[: fusion.nodes]
    # In the order of ids, so that sums of floats come out the same whatever the order of the pool.
    own = {id: worth[id] for id in sorted(best)}
    for id, value in centrality(own, edges_among(state, context, list(own), fusion.names), fusion.damping).items():
        if value > 0.0 and "centrality" in fusion.weights:
            table[id]["centrality"] = value
    return table


def centrality(own: Mapping[str, float], edges: Edges, damping: float) -> dict[str, float]:
    """Rank nodes by personalized PageRank from their own worth; the most central one has 1."""
    if not any(own.values()) or not edges:
        return {}
    with needs_extra("The strategy graph", "graph"):
        import rustworkx
    graph = rustworkx.PyDiGraph()
    # Nodes and edges in a fixed order: rounding in the ranks would otherwise depend on it.
    ids = sorted(own)
    places = dict(zip(ids, graph.add_nodes_from(ids), strict=True))
    graph.add_edges_from([(places[a], places[b], w) for (a, b), w in sorted(edges.items())])
    start = {places[id]: worth for id, worth in own.items()}
    ranks = rustworkx.pagerank(graph, alpha=damping, weight_fn=float, personalization=start, tol=1e-8, max_iter=200)
    top = max(ranks.values())
    return {id: round(ranks[place] / top, 6) for id, place in places.items()}


def edges_among(state: State, context: Context, nodes: list[str], names: int) -> Edges:
    """Both ways: a passage and one it names, as sure as the name is telling; passages in relation, as sure as it is."""
    of_document: dict[str, list[str]] = {}
    for id in nodes:
        of_document.setdefault(state.pool[id].passage.document_id, []).append(id)
    edges: Edges = {}
    present = set(nodes)
    links, relations = context.index.links, context.index.relations
    for link in links.links_from(nodes, names) if links else ():
        for target in of_document.get(link.target, ()):
            _join(edges, link.source, target, 1 / link.ambiguity * text.rarity(link.spread))
    for relation in relations.relations_from(nodes) if relations else ():
        if relation.target in present:
            _join(edges, relation.source, relation.target, relation.confidence)
    return edges


def _join(edges: Edges, one: str, other: str, weight: float) -> None:
    for ends in ((one, other), (other, one)):
        edges[ends] = max(edges.get(ends, 0.0), weight)


class Paths:
    """The ways by which passages were reached, in words."""

    def __init__(self, state: State, context: Context, ids: list[str]) -> None:
        self._pool = state.pool
        self._steps = {id: _step(met) for id, met in state.pool.items()}
        walked = {id for way in map(self._way, ids) if len(way) > 1 for id in way}
        relations = context.index.relations
        outgoing = relations.relations_from(sorted(walked)) if relations else ()
        self._relations: dict[tuple[str, str, str], Relation] = {(*r.ends, r.kind): r for r in outgoing}

    def of(self, id: str) -> str:
        """Describe through which passages this one was reached; empty for one that a query found."""
        way = self._way(id)
        said = self._pool[way[0]].passage.label
        for here, there in itertools.pairwise(way):
            said += self._explain(here, there)
        return said if len(way) > 1 else ""

    def _way(self, id: str) -> list[str]:
        way = [id]
        while len(way) < _LONGEST_PATH and self._pool[way[0]].hop > 1:
            _, via = self._steps[way[0]]
            if not via or via in way or via not in self._pool:
                break
            way.insert(0, via)
        return way

    def _explain(self, here: str, there: str) -> str:
        label = self._pool[there].passage.label
        kind = self._steps[there][0]
        for ends, arrow in (((here, there), "→"), ((there, here), "←")):
            if (relation := self._relations.get((*ends, kind))) is not None:
                return f" {arrow} {label} ({kind} {relation.confidence:.2f})"
        return f" → {label} ({Channel.of(kind).arrow})"


def _step(met: Candidate) -> tuple[str, str]:
    """Return the channel that leads to a passage most strongly, and the passage it comes from."""
    drawn = [channel for channel, via in met.via.items() if via and Channel.of(channel).arrow]
    best = max(drawn, key=lambda c: (met.scores[c], c), default="")
    return best, met.via.get(best, "")
