"""What every walker must do."""

from __future__ import annotations

from multihop.protocols import Context, Index, Walker
from multihop.testing.contracts.cities import WALKS, assert_value, cities, city_context
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory


class WalkerContract:
    """What every walker must do; supply fixtures `walker` and `store_factory`."""

    def test_every_walk_is_answered(self, walker: Walker, store_factory: StoreFactory) -> None:
        context = city_context(store_factory)
        assert len(walker.walk(WALKS, context)) == len(WALKS)
        assert list(walker.walk((), context)) == []

    def test_what_leads_to_a_passage_is_a_seed(self, walker: Walker, store_factory: StoreFactory) -> None:
        answers = walker.walk(WALKS, city_context(store_factory))
        for walk, hits in zip(WALKS, answers, strict=True):
            # A passage may also be matched on its own, but the chain needs a seed that led to it.
            led = {hit.passage_id for hit in hits if hit.via}
            assert {hit.via for hit in hits if hit.via} <= {seed for seed, _ in walk.seeds}
            assert {hit.passage_id for hit in hits} == led

    def test_walks_do_not_depend_on_the_other_walks(self, walker: Walker, store_factory: StoreFactory) -> None:
        store = cities(store_factory)
        together = walker.walk(WALKS, Context(Index.of(store.view())))
        alone = [walker.walk([walk], Context(Index.of(store.view())))[0] for walk in WALKS]
        assert [list(hits) for hits in together] == [list(hits) for hits in alone]

    def test_nothing_comes_from_outside_the_filter(self, walker: Walker, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view({"n": {"gte": 2, "lt": 5}})
        for hits in walker.walk(WALKS, Context(Index.of(view))):
            assert set(view.passages(hit.passage_id for hit in hits)) == {hit.passage_id for hit in hits}

    def test_an_empty_index_has_no_hits(self, walker: Walker, store_factory: StoreFactory) -> None:
        answers = walker.walk(WALKS, Context(Index.of(store_factory(HashEmbedder()).view())))
        assert [len(hits) for hits in answers] == [0] * len(WALKS)

    def test_it_is_a_value(self, walker: Walker) -> None:
        assert_value(walker=walker)
