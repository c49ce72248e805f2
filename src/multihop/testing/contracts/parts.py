"""What every embedder, searcher and selector must do."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from multihop.protocols import Context, Embedder, Searcher, Selector, State, Store, View
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory, fill
from multihop.types import Candidate, Document, Plan, Query, Selection

if TYPE_CHECKING:
    pass


TEXTS = (
    "Lyon is a city in France.",
    "The Rhône flows on. " * 30,
    "東京は日本の首都です。",
    "a NUL \x00, half a pair \ud83d",
)


class EmbedderContract:
    """What every embedder must do; supply a fixture `embedder`."""

    @pytest.mark.parametrize("query", [False, True])
    def test_rows_are_unit_vectors(self, embedder: Embedder, query: bool) -> None:
        rows = embedder.embed(TEXTS, query=query)
        assert rows.shape == (len(TEXTS), embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimension)

    def test_blank_texts_give_zero_rows(self, embedder: Embedder) -> None:
        rows = embedder.embed(["", "Lyon", " \n\t"])
        assert [bool(row.any()) for row in rows] == [False, True, False]

    @pytest.mark.parametrize("query", [False, True])
    def test_a_row_depends_on_its_own_text_only(self, embedder: Embedder, query: bool) -> None:
        together = embedder.embed(TEXTS, query=query)
        alone = np.concatenate([embedder.embed([text], query=query) for text in TEXTS])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(embedder.embed(TEXTS[::-1], query=query)[::-1], together, atol=1e-5)

    def test_identity_names_kind_and_model(self, embedder: Embedder) -> None:
        kind, colon, model = embedder.identity.partition(":")
        assert kind and colon and model

    def test_several_threads_may_embed(self, embedder: Embedder) -> None:
        expected = embedder.embed(TEXTS)
        with ThreadPoolExecutor(4) as pool:
            for rows in pool.map(lambda _: embedder.embed(TEXTS), range(8)):
                np.testing.assert_allclose(rows, expected, atol=1e-5)


# --- searchers and selectors ----------------------------------------------------------------------


def _corpus(store_factory: StoreFactory) -> Store:
    cities = [f"City{c}" for c in "abcdefghijkl"]
    return fill(
        store_factory(HashEmbedder()),
        *(
            Document(city, f"{city} lies near {', '.join(cities[i + 1 : i + 8])}.\n\nMore on {city}.", city, {"n": i})
            for i, city in enumerate(cities)
        ),
    )


QUERIES = (
    Query("Which city lies near Citya, Cityc, Citye and Cityg?", "the whole", 3),
    Query("Cityb", "a part", 2, part=True),
    Query("near Cityd", "links", 3, seeds=(("Citya#0", 1.0), ("Cityd#0", 0.5))),
    Query("?!", "nothing to go by", 5),
)


class SearcherContract:
    """What every searcher must do; supply fixtures `searcher` and `store_factory`."""

    ranks = True
    """False for a searcher that looks up what a query names or links to: the limit is for those that rank the index."""

    def test_every_query_is_answered(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = Context(_corpus(store_factory).view())
        assert len(searcher.search(QUERIES, context)) == len(QUERIES)
        assert list(searcher.search((), context)) == []

    def test_no_channel_gives_more_than_the_limit(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = Context(_corpus(store_factory).view())
        for query, hits in zip(QUERIES, searcher.search(QUERIES, context), strict=True):
            counts = Counter(hit.channel for hit in hits)
            assert not self.ranks or all(count <= query.limit for count in counts.values())

    def test_each_channel_begins_with_its_best(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        for hits in searcher.search(QUERIES, Context(_corpus(store_factory).view())):
            for channel in {hit.channel for hit in hits}:
                ranked = [(-hit.score, hit.passage_id) for hit in hits if hit.channel == channel]
                assert ranked[0] == min(ranked)

    def test_answers_do_not_depend_on_the_other_queries(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        store = _corpus(store_factory)
        together = searcher.search(QUERIES, Context(store.view()))
        alone = [searcher.search([query], Context(store.view()))[0] for query in QUERIES]
        assert [list(hits) for hits in together] == [list(hits) for hits in alone]

    def test_nothing_comes_from_outside_the_filter(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        view = _corpus(store_factory).view({"n": {"gte": 2, "lt": 5}})
        for hits in searcher.search(QUERIES, Context(view)):
            assert {hit.passage_id.partition("#")[0] for hit in hits} <= {"Cityc", "Cityd", "Citye"}
            assert set(view.passages(hit.passage_id for hit in hits)) == {hit.passage_id for hit in hits}

    def test_an_empty_index_has_no_hits(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        answers = searcher.search(QUERIES, Context(store_factory(HashEmbedder()).view()))
        assert [len(hits) for hits in answers] == [0] * len(QUERIES)


CHANNELS = ("bm25", "name", "part name", "common name", "part", "link", "rare link", "dense", "rrf")


def _pool(view: View, size: int) -> dict[str, Candidate]:
    ids = sorted(id for ids in view.passages_of([f"City{c}" for c in "abcdefghijkl"], 2).values() for id in ids)[:size]
    draw = np.random.default_rng(size)
    return {
        id: Candidate(passage, {c: float(round(draw.random(), 1)) for c in CHANNELS if draw.random() < 0.7}, 1)
        for id, passage in view.passages(ids).items()
    }


class SelectorContract:
    """What every selector must do; supply fixtures `selector` and `store_factory`."""

    @pytest.mark.parametrize("size", [0, 1, 5, 24])
    @pytest.mark.parametrize("k", [1, 3, 5, 21, 100])
    def test_the_budget_is_filled_and_never_exceeded(
        self, selector: Selector, store_factory: StoreFactory, k: int, size: int
    ) -> None:
        chosen, pool = _select(selector, _corpus(store_factory).view(), k, size)
        ids = [choice.passage_id for choice in chosen.choices]
        bench = [choice.passage_id for choice in chosen.bench]
        assert len(ids) == min(k, size)
        assert len(set(ids + bench)) == len(ids) + len(bench)
        assert set(ids + bench) <= set(pool)
        assert all(choice.reason for choice in chosen.choices)

    def test_the_same_pool_in_any_order_gives_the_same_choice(
        self, selector: Selector, store_factory: StoreFactory
    ) -> None:
        view = _corpus(store_factory).view()
        first, _ = _select(selector, view, 7, 24)
        assert first == _select(selector, view, 7, 24)[0] == _select(selector, view, 7, 24, backwards=True)[0]

    def test_a_full_budget_stays_full(self, selector: Selector, store_factory: StoreFactory) -> None:
        view = _corpus(store_factory).view()
        before, _ = _select(selector, view, 7, 12)
        after, pool = _select(selector, view, 7, 24, selection=before)
        ids = [choice.passage_id for choice in after.choices]
        assert len(ids) == len(set(ids)) == 7
        assert {r.out for r in after.replaced}.isdisjoint(ids)
        assert {r.into for r in after.replaced} <= set(ids) <= set(pool)


def _select(
    selector: Selector, view: View, k: int, size: int, *, selection: Selection | None = None, backwards: bool = False
) -> tuple[Selection, dict[str, Candidate]]:
    pool = _pool(view, size)
    given = dict(reversed(pool.items())) if backwards else pool
    question = "Which city lies near Citya and Cityb?"
    state = State(question, k, Plan(), hop=2 if selection else 1, pool=given, selection=selection or Selection())
    return selector.select(state, Context(view)), pool
