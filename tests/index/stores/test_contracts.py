"""The contract suites whose parts need a store to work on, kept by the parts that ship."""

from __future__ import annotations

import pytest

from multihop.parts.assessors import EntityAssessor
from multihop.parts.searchers import (
    Bm25Searcher,
    DenseSearcher,
    LinkSearcher,
    NameSearcher,
    RankFusion,
    RelationSearcher,
    SignalSearcher,
    Together,
)
from multihop.parts.selectors import Appending, EntityFirst, GraphFusion, LearnedFusion, TopScore, TopSignals
from multihop.protocols import Embedder, Searcher, Selector
from multihop.testing.contracts import EmbedderContract, HashEmbedder, SearcherContract, SelectorContract

RANKING: tuple[Searcher, ...] = (
    Bm25Searcher(),
    DenseSearcher(),
    RankFusion((Bm25Searcher(), DenseSearcher())),
    SignalSearcher(),
)
LOOKING_UP: tuple[Searcher, ...] = (
    LinkSearcher(),
    NameSearcher(),
    RelationSearcher(),
    Together((NameSearcher(), DenseSearcher(), LinkSearcher())),
)
SELECTORS: tuple[Selector, ...] = (
    LearnedFusion(),
    GraphFusion(),
    TopScore("bm25"),
    TopScore("dense"),
    TopSignals(),
    Appending(LearnedFusion(), EntityAssessor()),
    EntityFirst(),
)


def _name(part: object) -> str:
    return type(part).__name__


class TestRankingSearchers(SearcherContract):
    @pytest.fixture(params=RANKING, ids=_name)
    def searcher(self, request: pytest.FixtureRequest) -> Searcher:
        searcher: Searcher = request.param
        return searcher


class TestLookingUpSearchers(SearcherContract):
    ranks = False

    @pytest.fixture(params=LOOKING_UP, ids=_name)
    def searcher(self, request: pytest.FixtureRequest) -> Searcher:
        searcher: Searcher = request.param
        return searcher


class TestSelectors(SelectorContract):
    @pytest.fixture(params=SELECTORS, ids=_name)
    def selector(self, request: pytest.FixtureRequest) -> Selector:
        selector: Selector = request.param
        return selector


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()
