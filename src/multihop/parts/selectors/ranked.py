"""The budget by a learned ranking: a weighted sum of channels, then boosted trees over what the passages say.

The sum is cheap and sees every candidate; the trees see the best of them together with their sentences, their links and
what the others explain already. `training/` says how both were fitted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from multihop import text
from multihop.models import boosted_trees
from multihop.parts.selectors.features import Linked, Question, Ranked, Reading, describe
from multihop.parts.selectors.fusion import LearnedFusion, features, ordered, reason
from multihop.protocols import Context, State
from multihop.types import Choice, Selection
from multihop.types.channels import FOLLOW_UP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BENCH = 10
_FOLLOW_UP_REASON = 0.12


class Described(NamedTuple):
    """The best candidates of a fusion, what speaks for each, how each is linked, and what was read of it."""

    candidates: Sequence[Ranked]
    rows: NDArray[np.float32]
    links: Sequence[Linked]
    readings: Sequence[Reading]


@dataclass(frozen=True, slots=True)
class RankedFusion:
    """Reads the best candidates of a fusion and keeps the k that are likeliest to be evidence.

    The score of a choice is that probability. Candidates beyond `depth` stand behind, in the order of the fusion.
    """

    fusion: LearnedFusion = field(default_factory=LearnedFusion)
    depth: int = 150

    def select(self, state: State, context: Context) -> Selection:
        table = features(state, self.fusion.weights)
        fused = ordered(table, self.fusion.weights)
        described = self._described(state, fused[: self.depth], context)
        ranked = [
            *_likeliest(described),
            # The trees have not seen these: they are less likely than whatever the trees put last.
            *((id, 0.0) for _, id in fused[self.depth :]),
        ]
        # A link says more to a reader than a follow-up query: the latter is named where there is little else.
        telling = {**self.fusion.weights, FOLLOW_UP: _FOLLOW_UP_REASON}
        choices = [
            Choice(id, chance, reason(state, id, table[id], telling)) for id, chance in ranked[: state.k + _BENCH]
        ]
        return Selection(tuple(choices[: state.k]), bench=tuple(choices[state.k :]))

    def described(self, state: State, context: Context) -> Described:
        """Describe the best candidates of the pool, as `select` does; the trees are trained on this."""
        fused = ordered(features(state, self.fusion.weights), self.fusion.weights)
        return self._described(state, fused[: self.depth], context)

    def _described(self, state: State, fused: Sequence[tuple[float, str]], context: Context) -> Described:
        candidates = [Ranked(state.pool[id], -worse) for worse, id in fused]
        named = [entity.text for entity in state.plan.entities if entity.kind != "number"]
        question = _question(state.question, context)
        return Described(candidates, *describe(question, candidates, named, len(state.plan.entities)))


def _likeliest(described: Described) -> list[tuple[str, float]]:
    ids = [ranked.candidate.passage.id for ranked in described.candidates]
    chances = [_chance(odds) for odds in boosted_trees().score(described.rows).tolist()] if ids else []
    return sorted(zip(ids, chances, strict=True), key=lambda found: (-found[1], found[0]))


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, odds)))


def _question(question: str, context: Context) -> Question:
    """Weigh the words of a question by how many passages use them; all alike where the index cannot say."""
    terms = list(dict.fromkeys(text.terms(question)))
    known = context.index.terms
    counts = known.frequencies(terms) if known is not None else [0] * len(terms)
    return Question(question, dict(zip(terms, counts, strict=True)), context.index.passages.size)
