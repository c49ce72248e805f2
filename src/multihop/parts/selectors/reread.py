"""The last word on strategies that rank by rules of their own: a learned ranking reads what they found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from multihop.parts.selectors.ranked import RankedFusion
from multihop.protocols import Context, Selector, State
from multihop.types import Choice, Selection
from multihop.types.ranks import reciprocal_ranks

_LIKELY = 0.03
_RANKS = "document_reranker"
_CONSTANT = 10
"""Softens the first places where two orders are merged."""


@dataclass(frozen=True, slots=True)
class Reread:
    """Selects by `inner`; at the end what a ranking that reads finds likely comes first, and the rest stays as it was.

    Reasons are those that `inner` gave. Where a language model ranked, its order and that of the ranking count alike.
    """

    inner: Selector
    ranking: RankedFusion

    def select(self, state: State, context: Context) -> Selection:
        return self.inner.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        own = state.selection
        read = self.ranking.finish(state, context)
        chances = {choice.passage_id: choice.score for choice in (*read.choices, *read.bench)}
        held = {choice.passage_id: choice for choice in (*own.choices, *own.bench)}
        likely = [held.get(c.passage_id, c) for c in (*read.choices, *read.bench) if c.score >= _LIKELY]
        if context.lm is not None and any(c.step == _RANKS and not c.problem for c in context.lm.calls):
            likely = _merged(likely, list(held.values()))
        first = {choice.passage_id for choice in likely}
        order = [*likely, *(choice for choice in held.values() if choice.passage_id not in first)]
        # Nobody further back scores more: the rest stands in the order of `inner`, whatever the ranking thinks of it.
        falling = accumulate((chances.get(choice.passage_id, 0.0) for choice in order), min)
        scored = [choice._replace(score=score) for choice, score in zip(order, falling, strict=True)]
        chosen = {choice.passage_id for choice in scored[: state.k]}
        # An exchange is told only where it still holds after the ranking.
        swaps = tuple(swap for swap in own.replaced if swap.into in chosen and swap.out not in chosen)
        return Selection(tuple(scored[: state.k]), swaps, tuple(scored[state.k :]))


def _merged(read: Sequence[Choice], ranked: Sequence[Choice]) -> list[Choice]:
    """Merge two orders by reciprocal rank; who is in one of them only comes last in the other."""
    choices = {choice.passage_id: choice for choice in (*read, *ranked)}
    orders = [(1.0, [choice.passage_id for choice in order]) for order in (read, ranked)]
    worth = reciprocal_ranks(orders, _CONSTANT, last=len(choices))
    return sorted(choices.values(), key=lambda c: (-worth[c.passage_id], c.passage_id))


def unread(selector: Selector) -> Selector:
    """Give a selector as it works without a ranker."""
    if isinstance(selector, RankedFusion):
        return replace(selector, read=0)
    return selector.inner if isinstance(selector, Reread) else selector
