"""Selection by the weighted mean of signals, saying which of them spoke for each passage."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.protocols import Context, State
from multihop.types import Candidate, Choice, Selection

_NAMES = ("transformer", "word2vec", "patterns", "fuzzy")


@dataclass(frozen=True, slots=True)
class TopSignals:
    """Keeps the k passages with the best mean of their signals."""

    channel: str = "combined"

    def select(self, state: State, context: Context) -> Selection:
        ranked = sorted(state.pool.items(), key=lambda item: (-item[1].scores.get(self.channel, 0.0), item[0]))
        return Selection(
            tuple(Choice(id, met.scores.get(self.channel, 0.0), _reason(met)) for id, met in ranked[: state.k])
        )


def _reason(met: Candidate) -> str:
    said = [f"{name} {met.scores[name]:.2f}" for name in _NAMES if name in met.scores]
    return ", ".join(said) or "no signal"
