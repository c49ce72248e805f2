"""The last word on strategies that rank by rules of their own: a learned ranking reads what they found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from multihop.parts.selectors.ranked import RankedFusion
from multihop.protocols import Context, Selector, State
from multihop.types import Selection

_LIKELY = 0.03


@dataclass(frozen=True, slots=True)
class Reread:
    """Selects by `inner`; at the end what a ranking that reads finds likely comes first, and the rest stays as it was.

    Reasons are those that `inner` gave. Where a language model answered, its order stands.
    """

    inner: Selector
    ranking: RankedFusion

    def select(self, state: State, context: Context) -> Selection:
        return self.inner.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        own = state.selection
        if context.lm is not None and any(not call.problem for call in context.lm.calls):
            return own
        read = self.ranking.finish(state, context)
        chances = {choice.passage_id: choice.score for choice in (*read.choices, *read.bench)}
        held = {choice.passage_id: choice for choice in (*own.choices, *own.bench)}
        likely = [held.get(c.passage_id, c) for c in (*read.choices, *read.bench) if c.score >= _LIKELY]
        first = {choice.passage_id for choice in likely}
        order = [*likely, *(choice for choice in held.values() if choice.passage_id not in first)]
        # Nobody further back scores more: the rest stands in the order of `inner`, whatever the ranking thinks of it.
        falling = accumulate((chances.get(choice.passage_id, 0.0) for choice in order), min)
        scored = [choice._replace(score=score) for choice, score in zip(order, falling, strict=True)]
        chosen = {choice.passage_id for choice in scored[: state.k]}
        swaps = tuple(swap for swap in own.replaced if swap.into in chosen and swap.out not in chosen)
        return Selection(tuple(scored[: state.k]), swaps, tuple(scored[state.k :]))


def unread(selector: Selector) -> Selector:
    """Give a selector as it works without a ranker."""
    if isinstance(selector, RankedFusion):
        return replace(selector, read=0)
    return selector.inner if isinstance(selector, Reread) else selector
