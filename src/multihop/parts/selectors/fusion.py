"""A learned fusion of channels: one weighted sum, fitted on training questions, decides the budget.

Equal votes let a noisy channel drown a good one; weights that were learned on questions with known evidence do not.
`benchmarks/tune.py` fits them on the train splits only and prints the table below.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from multihop import text
from multihop.protocols import Context, State
from multihop.types import Candidate, Choice, Reason, Selection
from multihop.types.channels import BM25, NAME, Channel
from multihop.types.steps import BENCH

WEIGHTS: Mapping[str, float] = {
    "match": 1.00,
    "name": 1.01,
    "shared name": 0.32,
    "part name": 0.09,
    "common name": -0.42,
    "part": 0.46,
    "link": 0.47,
    "rare link": 1.48,
    "title": 0.23,
    "dense": 0.15,
}
"""What each feature of a candidate is worth; every feature lies between 0 and about 1."""

_FEATURES = {"match": BM25, "shared name": NAME, "title": None, "relation": None, "centrality": None}
"""Features that are not channels themselves: the channel that each is explained by, or none."""
_TELLING = 0.05


@dataclass(frozen=True, slots=True)
class LearnedFusion:
    """Keeps the k passages with the largest weighted sum of features: of every channel that it has a weight for.

    A feature is the score on a channel, except that "match" is BM25 beside the best of the pool, "shared name" a name
    that several documents bear, and "title" the share of the title's words that the question uses.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))

    def select(self, state: State, context: Context) -> Selection:
        weight = self.weights
        table = features(state, weight)
        scored = rank_weighted(table, weight)
        best = scored[: state.k + BENCH]
        ranked = [Choice.of(id, -worse, reasons(state, id, table[id], weight)) for worse, id in best]
        return Selection.of(ranked, state.k)

    def ablations(self) -> Iterator[tuple[str, LearnedFusion]]:
        """Leave out each weight in turn."""
        for name in self.weights:
            rest = {other: weight for other, weight in self.weights.items() if other != name}
            yield f"weight-{name.replace(' ', '-')}", replace(self, weights=rest)


def rank_weighted(table: Mapping[str, Mapping[str, float]], weight: Mapping[str, float]) -> list[tuple[float, str]]:
    """Sort candidates by their weighted sum, best first; sums are negated, so that one plain sort breaks ties by id."""
    return sorted([(-sum([weight[n] * v for n, v in row.items()]), id) for id, row in table.items()])


def features(state: State, wanted: Container[str] = WEIGHTS) -> dict[str, dict[str, float]]:
    """Describe every candidate of the pool by a few numbers between 0 and about 1; what is zero is left out."""
    best = max([c.scores[BM25] for c in state.pool.values() if BM25 in c.scores], default=0.0) or 1.0
    asked = frozenset(text.terms(state.question)) if "title" in wanted else frozenset()
    return {id: _row(candidate, best, asked, wanted) for id, candidate in state.pool.items()}


def _row(candidate: Candidate, best: float, asked: frozenset[str], wanted: Container[str]) -> dict[str, float]:
    row: dict[str, float] = {}
    for channel, score in candidate.scores.items():
        # BM25 has no upper end of its own: only beside the best of the pool can it be weighed against the others.
        if channel == BM25:
            feature, value = "match", score / best
        elif channel == NAME:
            # A name that one document alone bears says far more than one that several share: two features, two weights.
            feature, value = NAME if score == 1.0 else "shared name", score
        elif score > 0.0:
            feature, value = channel, score
        else:
            continue
        if feature in wanted:
            row[feature] = value
    title = _title_terms(candidate.passage.title)
    if not asked.isdisjoint(title):
        row["title"] = len([t for t in title if t in asked]) / len(title)
    return row


@lru_cache(maxsize=65_536)
def _title_terms(title: str) -> tuple[str, ...]:
    return tuple(text.terms(text.without_parentheses(title)))


def reasons(state: State, id: str, row: Mapping[str, float], weight: Mapping[str, float]) -> list[Reason]:
    """List what speaks for a passage, the strongest channel first; empty when nothing does."""
    worth: dict[Channel, float] = {}
    for feature, value in row.items():
        if (channel := _explained_by(feature)) is not None:
            worth[channel] = worth.get(channel, 0.0) + weight[feature] * value
    telling = sorted([(-value, channel) for channel, value in worth.items() if value > _TELLING])[:2]
    return [_explain(state, state.pool[id], channel) for _, channel in telling]


def _explained_by(feature: str) -> Channel | None:
    if feature in _FEATURES:
        return _FEATURES[feature]
    channel = Channel.of(feature)
    channel = Channel.of(channel.counts_with) if channel.counts_with else channel
    return channel if channel.reason else None


def _explain(state: State, candidate: Candidate, channel: Channel) -> Reason:
    via = candidate.via.get(channel, "")
    source = state.pool.get(via) if channel.source else None
    return Reason(channel.explain(source.passage.label if source else via), channel, via)
