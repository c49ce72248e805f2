"""Query writers that need no language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, State
from multihop.types import Query, Walk


@dataclass(frozen=True, slots=True)
class AskOnce:
    """Ask the question as it is, once."""

    depth: int = 100

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop:
            return ()
        return (Query(state.question, "the question as it is", max(self.depth, state.k)),)


@dataclass(frozen=True, slots=True)
class FollowLinks:
    """Ask the question and its clauses; then follow the links of the best passages and look for what is missing.

    A link inherits the weight of the passage it starts from, so the best passages are followed first and count most.
    """

    depth: int = 50
    part_depth: int = 20
    seeds: int = 6
    missing: int = 3
    clauses: bool = True

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        # Twice the budget, so that a selector has something to choose from at any k.
        depth = max(self.depth, 2 * state.k)
        if state.hop == 0:
            parts = state.plan.sub_questions if self.clauses else ()
            return (
                Query(state.question, "the question as it is", depth),
                *(Query(part, "a clause of the question", self.part_depth, part=True) for part in parts),
            )
        return (*self._links(state, depth), *self._missing(state))

    def _links(self, state: State, depth: int) -> Sequence[Walk]:
        # Links of a passage are the same in every hop: following it again brings nothing new.
        followed = {seed for walk in state.tried if isinstance(walk, Walk) for seed, _ in walk.seeds}
        # With a small budget the next best passages lead on as well as those that found a place.
        best = (state.selection.choices + state.selection.bench)[: self.seeds]
        top = max((c.score for c in best), default=0.0) or 1.0
        seeds = tuple((c.passage_id, round(max(0.0, c.score) / top, 6)) for c in best if c.passage_id not in followed)
        if not seeds:
            return ()
        titles = [state.pool[s].passage.label for s, _ in seeds[:3]]
        named = ", ".join(f"“{t}”" for t in titles) + (" …" if len(seeds) > len(titles) else "")
        return (Walk(state.question, f"what {named} link to", depth, seeds),)

    def _missing(self, state: State) -> Sequence[Query]:
        # A name that found nothing once finds nothing again.
        asked = {query.text for query in state.tried}
        wanted = [t.name for t in state.coverage.missing if t.name not in asked][: self.missing]
        return tuple(Query(name, f"“{name}” is not covered yet", self.part_depth, part=True) for name in wanted)
