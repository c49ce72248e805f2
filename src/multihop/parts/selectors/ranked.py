"""The budget by a learned ranking: a weighted sum of channels, boosted trees over what the passages say, a ranker.

Each sees fewer candidates than the one before, and more of them. The sum is cheap and sees all; the trees see the best
with their sentences, their links and what the others explain already; the ranker reads those that the trees do not rule
out, each beside the question and the sentence that leads to it. `training/` says how all three were fitted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from multihop.models import NOT_INSTALLED, boosted_trees, ranker
from multihop.parts.selectors.features import Linked, Question, Ranked, Reading, describe, weighed
from multihop.parts.selectors.fusion import LearnedFusion, features, ordered, reason
from multihop.parts.selectors.pairs import pair
from multihop.protocols import Context, State
from multihop.types import Choice, Selection
from multihop.types.channels import FOLLOW_UP
from multihop.types.steps import BENCH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FOLLOW_UP_REASON = 0.12
_RULED_OUT = -5.5
"""Log-odds by the trees under which a candidate is not worth reading, unless it is among the first few."""
_ALWAYS_READ = 12
_STEEPNESS, _SHIFT = 0.6, 0.3
"""Make a probability of the sum of trees and ranker; fitted on train questions that the ranker has not seen."""


class Described(NamedTuple):
    """The best candidates of a fusion, what speaks for each, how each is linked, and what was read of it."""

    question: Question
    candidates: Sequence[Ranked]
    rows: NDArray[np.float32]
    links: Sequence[Linked]
    readings: Sequence[Reading]
    odds: Sequence[float]
    """Log-odds by the trees that each is evidence."""


@dataclass(frozen=True, slots=True)
class RankedFusion:
    """Reads the best candidates of a fusion and keeps the k that are likeliest to be evidence.

    The score of a choice is that probability. Candidates beyond `depth` stand behind, in the order of the fusion.
    """

    fusion: LearnedFusion = field(default_factory=LearnedFusion)
    depth: int = 150
    read: int = 0
    """How many of the best by the trees the ranker may read, once, when all hops are over: reading costs most."""

    def select(self, state: State, context: Context) -> Selection:
        return self._select(state, context, 0)

    def finish(self, state: State, context: Context) -> Selection:
        return self._select(state, context, self.read) if self.read else state.selection

    def _select(self, state: State, context: Context, read: int) -> Selection:
        table = features(state, self.fusion.weights)
        fused = ordered(table, self.fusion.weights)
        described = self._described(state, fused[: self.depth], context)
        ranked = [
            *self._likeliest(described, read, context),
            # The trees have not seen these: they are less likely than whatever the trees put last.
            *((id, 0.0) for _, id in fused[self.depth :]),
        ]
        # A link says more to a reader than a follow-up query: the latter is named where there is little else.
        telling = {**self.fusion.weights, FOLLOW_UP: _FOLLOW_UP_REASON}
        best = ranked[: state.k + BENCH]
        return Selection.of([Choice(id, chance, reason(state, id, table[id], telling)) for id, chance in best], state.k)

    def described(self, state: State, context: Context) -> Described:
        """Describe the best candidates of the pool, as `select` does; the trees are trained on this."""
        fused = ordered(features(state, self.fusion.weights), self.fusion.weights)
        return self._described(state, fused[: self.depth], context)

    def _described(self, state: State, fused: Sequence[tuple[float, str]], context: Context) -> Described:
        before: Described | None = context.memory.get("described")
        candidates = [Ranked(state.pool[id], -worse) for worse, id in fused]
        if before is not None and before.question.text == state.question:
            if before.candidates == candidates:
                return before
            question = before.question
        else:
            question = weighed(state.question, context.index)
        named = [entity.text for entity in state.plan.entities if entity.kind != "number"]
        rows, links, readings = describe(question, candidates, named, len(state.plan.entities))
        odds = boosted_trees().score(rows).tolist() if candidates else []
        found = Described(question, candidates, rows, links, readings, odds)
        context.memory["described"] = found
        return found

    def _likeliest(self, described: Described, most: int, context: Context) -> list[tuple[str, float]]:
        """Order candidates by how likely they are evidence, with that probability; ties by id."""
        ids = [ranked.candidate.passage.id for ranked in described.candidates]
        odds = described.odds
        by_trees = sorted(range(len(ids)), key=lambda place: (-odds[place], ids[place]))
        chances = {place: _chance(odds[place]) for place in by_trees}
        read = _read(described, by_trees[:most], context) if most else {}
        if read:
            # Whoever was not read stays behind those who were: the trees alone had put them there.
            least = min(read.values())
            chances = {place: read.get(place, least * chances[place]) for place in by_trees}
        return sorted(((ids[p], chance) for p, chance in chances.items()), key=lambda found: (-found[1], found[0]))


def _read(described: Described, best: Sequence[int], context: Context) -> dict[int, float]:
    """Let the ranker read what the trees do not rule out, and give the probability of each by both."""
    model = ranker()
    if model is None:
        context.note(f"the ranker was not used: {NOT_INSTALLED}")
        return {}
    odds = described.odds
    places = best[: max(_ALWAYS_READ, sum(odds[place] > _RULED_OUT for place in best))]
    pairs = [pair(described.question, described.readings, place, described.links[place]) for place in places]
    logits = model.score(described.question.text, pairs).tolist() if pairs else []
    sums = (odds[place] + logit for place, logit in zip(places, logits, strict=True))
    return {place: _chance(_STEEPNESS * total + _SHIFT) for place, total in zip(places, sums, strict=True)}


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, odds)))
