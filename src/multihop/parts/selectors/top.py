"""The plainest selector: the best scores of one channel."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.protocols import Context, State
from multihop.types import Choice, Selection
from multihop.types.channels import BM25


@dataclass(frozen=True, slots=True)
class TopScore:
    """Keeps the k passages with the best score on one channel."""

    channel: str = BM25

    def select(self, state: State, context: Context) -> Selection:
        ranked = sorted(state.pool.items(), key=lambda item: (-item[1].scores.get(self.channel, 0.0), item[0]))
        return Selection(
            tuple(
                Choice(id, met.scores.get(self.channel, 0.0), f"{self.channel} rank {rank}")
                for rank, (id, met) in enumerate(ranked[: state.k], 1)
            )
        )
