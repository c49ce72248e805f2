"""Ablation: a strategy with one of its parts removed, to measure what that part contributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from multihop.errors import InvalidInput
from multihop.loop import Strategy
from multihop.parts.selectors import model_free, unread
from multihop.parts.stop import FixedHops

_ONE_HOP = FixedHops(1)


@runtime_checkable
class Ablatable(Protocol):
    """A part made of others, which can be left out one at a time."""

    def ablations(self) -> Iterator[tuple[str, Any]]:
        """Yield the part without each of its own parts in turn, with the name of what is missing."""


def ablations(strategy: Strategy) -> list[Strategy]:
    """Return the strategy without each of its parts in turn, each under a name that says what is missing.

    Removed are the searchers beside lexical search, the walkers, all hops after the first, the trees of a ranking,
    and single weights of the learned fusion; what a strategy cannot do without stays.
    """
    smaller = [replace(each, name=f"{strategy.name}-{what}") for what, each in _ablate(strategy)]
    if not smaller:
        raise InvalidInput(f"the strategy {strategy.name!r} has no part that can be removed; choose another")
    return smaller


def _ablate(strategy: Strategy) -> Iterator[tuple[str, Strategy]]:
    yield from _without(strategy, "searcher")
    yield from _without(strategy, "walker")
    if strategy.stop != _ONE_HOP:
        yield "one-hop", replace(strategy, stop=_ONE_HOP)
    # A selector that does not read comes back as it is, and then there is nothing to remove.
    if (unread_selector := unread(strategy.selector)) != strategy.selector:
        yield "without-ranker", replace(strategy, selector=unread_selector)
    if (by_weights := model_free(strategy.selector)) != unread_selector:
        yield "without-trees", replace(strategy, selector=by_weights)
    yield from _without(strategy, "selector")


def _without(strategy: Strategy, field: str) -> Iterator[tuple[str, Strategy]]:
    part = getattr(strategy, field)
    if isinstance(part, Ablatable):
        for missing, smaller in part.ablations():
            yield f"without-{missing}", replace(strategy, **{field: smaller})
