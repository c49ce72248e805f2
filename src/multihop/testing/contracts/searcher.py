"""What every searcher must do."""

from __future__ import annotations

from collections import Counter

from multihop.protocols import Context, Index, Searcher
from multihop.testing.contracts.cities import QUERIES, assert_value, cities, city_context
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory


class SearcherContract:
    """What every searcher must do; supply fixtures `searcher` and `store_factory`."""

    ranks = True
    """False for a searcher that looks up what a query names or links to: the limit is for those that rank the index."""

    def test_every_query_is_answered(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = city_context(store_factory)
        assert len(searcher.search(QUERIES, context)) == len(QUERIES)
        assert list(searcher.search((), context)) == []

    def test_no_channel_gives_more_than_the_limit(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = city_context(store_factory)
        for query, hits in zip(QUERIES, searcher.search(QUERIES, context), strict=True):
            counts = Counter(hit.channel for hit in hits)
            assert not self.ranks or all(count <= query.limit for count in counts.values())

    def test_each_channel_begins_with_its_best(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        for hits in searcher.search(QUERIES, city_context(store_factory)):
            for channel in {hit.channel for hit in hits}:
                # Ties break by id: the same question must give the same answer, byte for byte.
                ranked = [(-hit.score, hit.passage_id) for hit in hits if hit.channel == channel]
                assert ranked[0] == min(ranked)

    def test_answers_do_not_depend_on_the_other_queries(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        store = cities(store_factory)
        # A hop is one call with all its queries; the trace says of each what it found.
        together = searcher.search(QUERIES, Context(Index.of(store.view())))
        alone = [searcher.search([query], Context(Index.of(store.view())))[0] for query in QUERIES]
        assert [list(hits) for hits in together] == [list(hits) for hits in alone]

    def test_nothing_comes_from_outside_the_filter(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        # Filtered after the search, a narrow filter would leave fewer hits than the limit allows.
        view = cities(store_factory).view({"n": {"gte": 2, "lt": 5}})
        for hits in searcher.search(QUERIES, Context(Index.of(view))):
            assert {hit.passage_id.partition("#")[0] for hit in hits} <= {"Cityc", "Cityd", "Citye"}
            assert set(view.passages(hit.passage_id for hit in hits)) == {hit.passage_id for hit in hits}

    def test_an_empty_index_has_no_hits(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        answers = searcher.search(QUERIES, Context(Index.of(store_factory(HashEmbedder()).view())))
        assert [len(hits) for hits in answers] == [0] * len(QUERIES)

    def test_it_is_a_value(self, searcher: Searcher) -> None:
        assert_value(searcher=searcher)
