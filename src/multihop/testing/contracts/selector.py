"""What every selector must do."""

from __future__ import annotations

import pytest

from multihop.protocols import Context, Finisher, Index, Selector, State, View
from multihop.testing.contracts.cities import assert_value, cities, pool_of
from multihop.testing.contracts.corpus import StoreFactory
from multihop.types import Candidate, Plan, Selection


class SelectorContract:
    """What every selector must do; supply fixtures `selector` and `store_factory`."""

    @pytest.mark.parametrize("size", [0, 1, 5, 24])
    @pytest.mark.parametrize("k", [1, 3, 5, 21, 100])
    def test_the_budget_is_filled_and_never_exceeded(
        self, selector: Selector, store_factory: StoreFactory, k: int, size: int
    ) -> None:
        chosen, pool = _select(selector, cities(store_factory).view(), k, size)
        ids = [choice.passage_id for choice in chosen.choices]
        bench = [choice.passage_id for choice in chosen.bench]
        # Selection may replace, but it leaves no place of the budget empty while there are candidates.
        assert len(ids) == min(k, size)
        assert len(set(ids + bench)) == len(ids) + len(bench)
        assert set(ids + bench) <= set(pool)
        assert all(choice.reason for choice in chosen.choices)

    def test_the_same_pool_in_any_order_gives_the_same_choice(
        self, selector: Selector, store_factory: StoreFactory
    ) -> None:
        view = cities(store_factory).view()
        first, _ = _select(selector, view, 7, 24)
        assert first == _select(selector, view, 7, 24)[0] == _select(selector, view, 7, 24, backwards=True)[0]

    def test_a_full_budget_stays_full(self, selector: Selector, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        before, _ = _select(selector, view, 7, 12)
        after, pool = _select(selector, view, 7, 24, selection=before)
        ids = [choice.passage_id for choice in after.choices]
        assert len(ids) == len(set(ids)) == 7
        # The trace tells who made room for whom, so both must be true of the result.
        assert {r.out for r in after.replaced}.isdisjoint(ids)
        assert {r.into for r in after.replaced} <= set(ids) <= set(pool)

    @pytest.mark.parametrize("k", [1, 5, 100])
    def test_a_last_word_fills_the_budget_from_the_pool(
        self, selector: Selector, store_factory: StoreFactory, k: int
    ) -> None:
        view = cities(store_factory).view()
        before, pool = _select(selector, view, k, 12)
        # The last word is optional; the budget was checked above for those who have none.
        if not isinstance(selector, Finisher):
            return
        after = selector.finish(_state(pool, k, 2, before), Context(Index.of(view)))
        ids = [choice.passage_id for choice in after.choices]
        assert len(ids) == len(set(ids)) == min(k, 12)
        assert set(ids) <= set(pool)
        assert {r.into for r in after.replaced} <= set(ids)

    def test_it_is_a_value(self, selector: Selector) -> None:
        assert_value(selector=selector)


def _select(
    selector: Selector, view: View, k: int, size: int, *, selection: Selection | None = None, backwards: bool = False
) -> tuple[Selection, dict[str, Candidate]]:
    pool = pool_of(view, size)
    given = dict(reversed(pool.items())) if backwards else pool
    state = _state(given, k, 2 if selection else 1, selection or Selection())
    return selector.select(state, Context(Index.of(view))), pool


def _state(pool: dict[str, Candidate], k: int, hop: int, selection: Selection) -> State:
    return State("Which city lies near Citya and Cityb?", k, Plan(), hop=hop, pool=pool, selection=selection)
