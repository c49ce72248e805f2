"""Selection by the weighted mean of signals, saying which of them spoke for each passage."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.parts.selectors.graph import PAGERANK, Paths, centrality, edges_among
from multihop.protocols import Context, Requirements, State
from multihop.types import Candidate, Choice, Selection
from multihop.types.channels import COMBINED, RELATIONS, SIGNALS


@dataclass(frozen=True, slots=True)
class TopSignals:
    """Keeps the k passages with the best mean of their signals."""

    channel: str = COMBINED

    def select(self, state: State, context: Context) -> Selection:
        ranked = sorted(state.pool.items(), key=lambda item: (-item[1].scores.get(self.channel, 0.0), item[0]))
        return Selection(
            tuple(Choice(id, met.scores.get(self.channel, 0.0), _reason(met)) for id, met in ranked[: state.k])
        )


@dataclass(frozen=True, slots=True)
class SignalsOnGraph:
    """Keeps the passages that match best, more so those that relations lead to and that are central among the others.

    A passage is worth the mean of its signals, the best relation that leads to it (its confidence times the weight of
    where it starts) and its centrality; what stays below the threshold in all is left out.
    """

    threshold: float
    relation: float = 0.2
    centrality: float = 0.02
    damping: float = 0.5
    names: int = 10
    nodes: int = 40

    @property
    def requirements(self) -> Requirements:
        return PAGERANK

    def select(self, state: State, context: Context) -> Selection:
        own = {id: met.scores.get(COMBINED, 0.0) for id, met in state.pool.items()}
        # The graph holds the best passages only: ranks on a larger one cost more and change little at the top.
        best = sorted(own, key=lambda passage: (-own[passage], passage))[: self.nodes]
        edges = edges_among(state, context, sorted(best), self.names)
        central = centrality({id: own[id] for id in sorted(best)}, edges, self.damping)
        worth = {id: own[id] + self._bonus(met, central.get(id, 0.0)) for id, met in state.pool.items()}
        passing = [id for id in worth if worth[id] >= self.threshold]
        ranked = sorted(passing, key=lambda passage: (-worth[passage], passage))
        paths = Paths(state, context, ranked[: state.k])
        return Selection.of([Choice(id, worth[id], _explain(state.pool[id], paths.of(id))) for id in ranked], state.k)

    def _bonus(self, met: Candidate, central: float) -> float:
        led = max((met.scores.get(kind, 0.0) for kind in RELATIONS), default=0.0)
        return self.relation * led + self.centrality * central


def _explain(met: Candidate, path: str) -> str:
    return f"{path}; {_reason(met)}" if path else _reason(met)


def _reason(met: Candidate) -> str:
    said = [f"{name} {met.scores[name]:.2f}" for name in SIGNALS if name in met.scores]
    return ", ".join(said) or "no signal"
