"""A learned fusion of channels: one weighted sum, fitted on training questions, decides the budget.

Equal votes let a noisy channel drown a good one; weights that were learned on questions with known evidence do not.
`benchmarks/tune.py` fits them on the train splits only and prints the table below.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from multihop import text
from multihop.protocols import Context, State
from multihop.types import Candidate, Choice, Selection

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


_BENCH = 10
_GROUNDS = {
    "name": "name",
    "shared name": "name",
    "link": "link",
    "rare link": "link",
    "match": "bm25",
    "dense": "dense",
}
"""What a feature is called when it is given as a reason."""
_TELLING = 0.05


@dataclass(frozen=True, slots=True)
class LearnedFusion:
    """Keeps the k passages with the largest weighted sum of features."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))

    def select(self, state: State, context: Context) -> Selection:
        table = features(state)
        weight = self.weights
        scored = sorted([(-sum([weight[n] * v for n, v in row.items()]), id) for id, row in table.items()])
        ranked = [Choice(id, -worse, reason(state, id, table[id], weight)) for worse, id in scored[: state.k + _BENCH]]
        return Selection(tuple(ranked[: state.k]), bench=tuple(ranked[state.k :]))


def features(state: State, channels: Container[str] = WEIGHTS) -> dict[str, dict[str, float]]:
    """Describe every candidate of the pool by a few numbers between 0 and about 1; what is zero is left out."""
    best = max([c.scores["bm25"] for c in state.pool.values() if "bm25" in c.scores], default=0.0) or 1.0
    asked = frozenset(text.terms(state.question))
    return {id: _row(candidate, best, asked, channels) for id, candidate in state.pool.items()}


def _row(candidate: Candidate, best: float, asked: frozenset[str], channels: Container[str]) -> dict[str, float]:
    row: dict[str, float] = {}
    for channel, score in candidate.scores.items():
        if channel == "bm25":
            row["match"] = score / best
        elif channel == "name":
            row["name" if score == 1.0 else "shared name"] = score
        elif score > 0.0 and channel in channels:
            row[channel] = score
    title = _title_terms(candidate.passage.title)
    if not asked.isdisjoint(title):
        row["title"] = len([t for t in title if t in asked]) / len(title)
    return row


@lru_cache(maxsize=65_536)
def _title_terms(title: str) -> tuple[str, ...]:
    return tuple(text.terms(text.without_parentheses(title)))


def reason(state: State, id: str, row: Mapping[str, float], weight: Mapping[str, float]) -> str:
    """Say in words what brought a passage into the budget, the strongest ground first."""
    worth: dict[str, float] = {}
    for name, value in row.items():
        if ground := _GROUNDS.get(name):
            worth[ground] = worth.get(ground, 0.0) + weight[name] * value
    telling = sorted([(-value, ground) for ground, value in worth.items() if value > _TELLING])[:2]
    return "; ".join([_ground(state, state.pool[id], ground) for _, ground in telling]) or "fills the budget"


def _ground(state: State, candidate: Candidate, ground: str) -> str:
    via = candidate.via.get(ground, "")
    if ground == "name":
        return f"the question names “{via}”"
    if ground == "link":
        source = state.pool.get(via)
        return f"linked from “{source.passage.label if source else via}”"
    if ground == "dense":
        return "near the question in meaning"
    return "shares words with the question"
