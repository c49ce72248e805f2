"""What every query writer must do."""

from __future__ import annotations

import pytest

from multihop.protocols import QueryWriter
from multihop.testing.contracts.cities import PLAN, assert_value, cities, write_hops
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory
from multihop.types import Plan, Query, Walk

PLANS = pytest.mark.parametrize("plan", [PLAN, Plan()], ids=["full plan", "empty plan"])


class QueryWriterContract:
    """What every query writer must do; supply fixtures `writer` and `store_factory`."""

    @PLANS
    def test_the_first_hop_asks_something(self, writer: QueryWriter, store_factory: StoreFactory, plan: Plan) -> None:
        [(_, queries)] = write_hops(writer, cities(store_factory).view(), plan, hops=1)
        assert queries

    @PLANS
    def test_every_query_can_be_searched_and_explained(
        self, writer: QueryWriter, store_factory: StoreFactory, plan: Plan
    ) -> None:
        for state, queries in write_hops(writer, cities(store_factory).view(), plan):
            assert all(query.text.strip() and query.purpose.strip() and query.limit > 0 for query in queries)
            # A walk can start only from passages that were met.
            assert {id for walk in queries if isinstance(walk, Walk) for id, _ in walk.seeds} <= set(state.pool)

    @PLANS
    def test_nothing_is_asked_twice(self, writer: QueryWriter, store_factory: StoreFactory, plan: Plan) -> None:
        # A query that was tried cannot bring anything new: a writer that repeats itself keeps the loop from ending.
        asked = [_text_of(q) for _, queries in write_hops(writer, cities(store_factory).view(), plan) for q in queries]
        assert len(set(asked)) == len(asked)

    @PLANS
    def test_the_same_states_give_the_same_queries(
        self, writer: QueryWriter, store_factory: StoreFactory, plan: Plan
    ) -> None:
        view = cities(store_factory).view()
        assert list(write_hops(writer, view, plan)) == list(write_hops(writer, view, plan))

    def test_an_empty_index_is_enough(self, writer: QueryWriter, store_factory: StoreFactory) -> None:
        view = store_factory(HashEmbedder()).view()
        first, *later = [queries for _, queries in write_hops(writer, view, Plan())]
        assert first
        assert not [query for queries in later for query in queries if isinstance(query, Walk)]

    def test_it_is_a_value(self, writer: QueryWriter) -> None:
        assert_value(writer=writer)


def _text_of(query: Query | Walk) -> object:
    return query.text, query.seeds if isinstance(query, Walk) else ()
