"""The contract suites of the loop's seams, kept by every part that ships."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from multihop.parts import assessors, planners, query_writers, searchers, selectors, stop
from multihop.parts.assessors import judged
from multihop.parts.planners import lm as lm_planners
from multihop.parts.query_writers import lm as lm_writers
from multihop.parts.searchers import retriever
from multihop.parts.selectors import entities, lm as lm_selectors
from multihop.profiles import load
from multihop.protocols import Assessor, Embedder, Planner, QueryWriter, Searcher, Selector, StopRule, Walker
from multihop.testing.contracts import (
    AssessorContract,
    EmbedderContract,
    HashEmbedder,
    PlannerContract,
    QueryWriterContract,
    SearcherContract,
    SelectorContract,
    StopRuleContract,
    WalkerContract,
)
from multihop.testing.contracts.cities import PLAN
from multihop.testing.contracts.corpus import StoreFactory
from multihop.testing.fixtures import stores

CLIMATE = load("climate")
PLANNERS: tuple[Planner, ...] = (
    planners.RulePlanner(),
    planners.RulePlanner(bridges=2),
    planners.AspectPlanner(),
    planners.GivenAspects(PLAN.aspects),
    planners.ProfilePlanner(),
    planners.ProfilePlanner("climate", values=CLIMATE),
    lm_planners.DecomposingPlanner(),
    lm_planners.GapPlanner(),
    lm_planners.NamedAspectPlanner(),
    lm_planners.SubQueryPlanner(),
)
WRITERS: tuple[QueryWriter, ...] = (
    query_writers.AskEnhanced(),
    query_writers.AskOnce(),
    query_writers.AspectQueries(),
    query_writers.AspectQueries(at_once=True),
    query_writers.FollowLinks(),
    query_writers.MicroQueries(),
    query_writers.WalkEnhanced(),
    query_writers.WalkGraph(("near",)),
    lm_writers.FollowEvidence(),
    lm_writers.GapQueries(),
    lm_writers.GapQueries(every=False),
    lm_writers.SubQueries(),
    lm_writers.SubQueries(whole=False, links=None),
)
RANKING: tuple[Searcher, ...] = (
    searchers.Bm25Searcher(),
    searchers.DenseSearcher(),
    searchers.RankFusion((searchers.Bm25Searcher(), searchers.DenseSearcher())),
    searchers.SignalSearcher(),
    retriever.RetrieverSearcher(),
)
LOOKING_UP: tuple[Searcher, ...] = (
    searchers.NameSearcher(),
    searchers.MatchingSearcher(searchers.Bm25Searcher(), (searchers.NameSearcher(), searchers.DenseSearcher())),
)
WALKERS: tuple[Walker, ...] = (
    searchers.LinkWalker(),
    searchers.CitationWalker(),
    searchers.FollowUpWalker(),
    searchers.NextPassageWalker(),
    searchers.RelationWalker(),
    searchers.SignalWalker(searchers.SignalSearcher(), (searchers.LinkWalker(),)),
    searchers.MatchingWalker(searchers.Bm25Searcher(), (searchers.LinkWalker(), searchers.RelationWalker())),
)
SELECTORS: tuple[Selector, ...] = (
    selectors.LearnedFusion(),
    selectors.RankedFusion(),
    selectors.RankedFusion(depth=2),
    selectors.RankedFusion(read=4),
    selectors.Reread(selectors.TopScore("bm25"), selectors.RankedFusion(read=4)),
    selectors.GraphFusion(),
    selectors.TopScore("bm25"),
    selectors.TopScore("dense"),
    selectors.TopSignals(),
    selectors.SignalsOnGraph(threshold=0.0),
    selectors.Appending(selectors.LearnedFusion(), assessors.EntityAssessor()),
    selectors.EntityFirst(),
    entities.EntityMatch(),
    entities.EntityCount(),
    lm_selectors.JudgedLast(selectors.LearnedFusion(), at_hop=1),
    lm_selectors.Listwise(at_hop=1),
)
ASSESSORS: tuple[Assessor, ...] = (
    assessors.EntityAssessor(),
    assessors.EntityAssessor(own=True),
    assessors.AspectAssessor(),
    judged.JudgedAspects(lambda prompt: ""),
    judged.JudgedAspects(
        lambda prompt: '[{"aspect": 1, "score": 0.9, "passage": 1}, {"aspect": 3, "score": 0.1, "passage": 2}]'
    ),
)
STOP_RULES: tuple[StopRule, ...] = (
    stop.FixedHops(1),
    stop.FixedHops(3),
    stop.WhenFull(2),
    stop.AspectStop(),
    stop.WhenCovered(),
    stop.WhenSettled(),
    stop.WhenWalked(),
)


@pytest.fixture(scope="module")
def store_factory() -> Iterator[StoreFactory]:
    """One for all tests of this module: making what they read took longer than everything else they do."""
    with stores() as make:
        yield make


def _name(part: object) -> str:
    return type(part).__name__


class TestPlanners(PlannerContract):
    @pytest.fixture(params=PLANNERS, ids=_name)
    def planner(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestQueryWriters(QueryWriterContract):
    @pytest.fixture(params=WRITERS, ids=_name)
    def writer(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestRankingSearchers(SearcherContract):
    @pytest.fixture(params=RANKING, ids=_name)
    def searcher(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestLookingUpSearchers(SearcherContract):
    ranks = False

    @pytest.fixture(params=LOOKING_UP, ids=_name)
    def searcher(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestWalkers(WalkerContract):
    @pytest.fixture(params=WALKERS, ids=_name)
    def walker(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestSelectors(SelectorContract):
    @pytest.fixture(params=SELECTORS, ids=_name)
    def selector(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestAssessors(AssessorContract):
    @pytest.fixture(params=ASSESSORS, ids=_name)
    def assessor(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestStopRules(StopRuleContract):
    @pytest.fixture(params=STOP_RULES, ids=_name)
    def stop(self, request: pytest.FixtureRequest) -> Any:
        return request.param


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()
