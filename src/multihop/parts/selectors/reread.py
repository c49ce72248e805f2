"""The last word on strategies that rank by rules of their own: a learned ranking reads what they found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from multihop.parts.selectors.ranked import READ, RankedFusion
from multihop.protocols import Context, Reranker, Reranking, Selector, State
from multihop.types import Choice, Selection
from multihop.types.ranks import reciprocal_ranks

_LIKELY = 0.03
_CONSTANT = 10
"""Softens the first places where two orders are merged."""


@dataclass(frozen=True, slots=True)
class Reread:
    """Selects by `inner`; at the end what a ranking that reads finds likely comes first, and the rest stays as it was.

    Reasons are those that `inner` gave. Where a language model ranked, its order and that of the ranking count alike;
    so do both orders where the scores of the ranking are no probabilities.
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
        likely = [
            held.get(c.passage_id, c)
            for c in (*read.choices, *read.bench)
            # Scores that are no probabilities tell which is likelier, not what is likely.
            if c.score >= _LIKELY or not read.calibrated
        ]
        if own.ranked_by_lm or not read.calibrated:
            likely = _merge(likely, list(held.values()))
        first = {choice.passage_id for choice in likely}
        order = [*likely, *(choice for choice in held.values() if choice.passage_id not in first)]
        # Scores never rise further back: the rest keeps the order of `inner`, whatever the ranking says.
        falling = accumulate((chances.get(choice.passage_id, 0.0) for choice in order), min)
        scored = [choice._replace(score=score) for choice, score in zip(order, falling, strict=True)]
        chosen = {choice.passage_id for choice in scored[: state.k]}
        # An exchange is told only where it still holds after the ranking.
        swaps = tuple(swap for swap in own.replaced if swap.into in chosen and swap.out not in chosen)
        choices, bench = tuple(scored[: state.k]), tuple(scored[state.k :])
        return replace(read, choices=choices, replaced=swaps, bench=bench, ranked_by_lm=own.ranked_by_lm)

    def with_reranker(self, reranker: Reranker | None) -> Selector:
        return self.inner if reranker is None else replace(self, ranking=self.ranking.with_reranker(reranker))

    def without_models(self) -> Selector:
        return model_free(self.inner)


def _merge(read: Sequence[Choice], ranked: Sequence[Choice]) -> list[Choice]:
    """Merge two orders by reciprocal rank; who is in one of them only comes last in the other."""
    choices = {choice.passage_id: choice for choice in (*read, *ranked)}
    orders = [(1.0, [choice.passage_id for choice in order]) for order in (read, ranked)]
    worth = reciprocal_ranks(orders, _CONSTANT, last=len(choices))
    return sorted(choices.values(), key=lambda c: (-worth[c.passage_id], c.passage_id))


def read_by(selector: Selector, reranker: Reranker) -> Selector:
    """Return a selector as it works with this reranker; one that did not read does so when all hops are over."""
    if isinstance(selector, Reranking):
        return selector.with_reranker(reranker)
    return Reread(selector, RankedFusion(read=READ, reranker=reranker))


def unread(selector: Selector) -> Selector:
    """Return a selector as it works without a reranker."""
    return selector.with_reranker(None) if isinstance(selector, Reranking) else selector


def model_free(selector: Selector) -> Selector:
    """Return a selector as it works without any model that reads or ranks."""
    return selector.without_models() if isinstance(selector, Reranking) else selector
