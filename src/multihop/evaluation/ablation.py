"""What a part of a strategy is worth: the same strategy with that part taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from multihop.errors import InvalidInput
from multihop.loop import Strategy
from multihop.parts.searchers import MatchingSearcher, MatchingWalker
from multihop.parts.selectors import LearnedFusion, model_free, unread
from multihop.parts.stop import FixedHops

_ONE_HOP = FixedHops(1)


def ablations(strategy: Strategy) -> list[Strategy]:
    """Give the strategy without each of its parts in turn, each under a name that says what is missing.

    Taken away are the searchers beside lexical search, the walkers, all hops after the first, the trees of a ranking,
    and single weights of the learned fusion; what a strategy cannot do without stays.
    """
    found = [replace(smaller, name=f"{strategy.name}-{what}") for what, smaller in _smaller(strategy)]
    if not found:
        raise InvalidInput(f"the strategy {strategy.name!r} has no part that can be removed; choose another")
    return found


def _smaller(strategy: Strategy) -> Iterator[tuple[str, Strategy]]:
    if isinstance(searcher := strategy.searcher, MatchingSearcher):
        # Its lexical search is not among these: by that, what the others find is weighed.
        for each in searcher.searchers:
            rest = replace(searcher, searchers=tuple(s for s in searcher.searchers if s is not each))
            yield f"without-{type(each).__name__}", replace(strategy, searcher=rest)
    if isinstance(walker := strategy.walker, MatchingWalker):
        for way in walker.walkers:
            kept = replace(walker, walkers=tuple(w for w in walker.walkers if w is not way))
            yield f"without-{type(way).__name__}", replace(strategy, walker=kept)
    if strategy.stop != _ONE_HOP:
        yield "one-hop", replace(strategy, stop=_ONE_HOP)
    # A selector that does not read comes back as it is, and then there is nothing to take away.
    if (unread_selector := unread(strategy.selector)) != strategy.selector:
        yield "without-ranker", replace(strategy, selector=unread_selector)
    if (by_weights := model_free(strategy.selector)) != unread_selector:
        yield "without-trees", replace(strategy, selector=by_weights)
    if isinstance(selector := strategy.selector, LearnedFusion):
        for name in selector.weights:
            weights = {n: w for n, w in selector.weights.items() if n != name}
            yield (
                f"without-weight-{name.replace(' ', '-')}",
                replace(strategy, selector=replace(selector, weights=weights)),
            )
