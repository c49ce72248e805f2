"""The contract suites of the loop's seams, kept by every part that ships."""

from __future__ import annotations

import pytest

from multihop.parts.assessors import AspectAssessor, EntityAssessor
from multihop.parts.assessors.judged import JudgedAspects
from multihop.parts.planners import AspectPlanner, GivenAspects, ProfilePlanner, RulePlanner
from multihop.parts.planners.lm import DecomposingPlanner, GapPlanner, NamedAspectPlanner, SubQueryPlanner
from multihop.parts.query_writers import (
    AskEnhanced,
    AskOnce,
    AspectQueries,
    FollowLinks,
    MicroQueries,
    WalkEnhanced,
    WalkGraph,
)
from multihop.parts.query_writers.lm import FollowEvidence, GapQueries, SubQueries
from multihop.parts.searchers import (
    Bm25Searcher,
    DenseSearcher,
    FollowUpWalker,
    LinkWalker,
    MatchingSearcher,
    MatchingWalker,
    NameSearcher,
    RankFusion,
    RelationWalker,
    SignalSearcher,
    SignalWalker,
)
from multihop.parts.searchers.retriever import RetrieverSearcher
from multihop.parts.selectors import (
    Appending,
    EntityFirst,
    GraphFusion,
    LearnedFusion,
    RankedFusion,
    Reread,
    SignalsOnGraph,
    TopScore,
    TopSignals,
)
from multihop.parts.selectors.entities import EntityCount, EntityMatch
from multihop.parts.selectors.lm import JudgedLast, Listwise
from multihop.parts.stop import AspectStop, FixedHops, WhenCovered, WhenFull, WhenSettled, WhenWalked
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

CLIMATE = load("climate")
PLANNERS: tuple[Planner, ...] = (
    RulePlanner(),
    RulePlanner(bridges=2),
    AspectPlanner(),
    GivenAspects(PLAN.aspects),
    ProfilePlanner(),
    ProfilePlanner("climate", values=CLIMATE),
    DecomposingPlanner(),
    GapPlanner(),
    NamedAspectPlanner(),
    SubQueryPlanner(),
)
WRITERS: tuple[QueryWriter, ...] = (
    AskEnhanced(),
    AskOnce(),
    AspectQueries(),
    AspectQueries(at_once=True),
    FollowLinks(),
    MicroQueries(),
    WalkEnhanced(),
    WalkGraph(("near",)),
    FollowEvidence(),
    GapQueries(),
    GapQueries(every=False),
    SubQueries(),
    SubQueries(whole=False, links=None),
)
RANKING: tuple[Searcher, ...] = (
    Bm25Searcher(),
    DenseSearcher(),
    RankFusion((Bm25Searcher(), DenseSearcher())),
    SignalSearcher(),
    RetrieverSearcher(),
)
LOOKING_UP: tuple[Searcher, ...] = (
    NameSearcher(),
    MatchingSearcher(Bm25Searcher(), (NameSearcher(), DenseSearcher())),
)
WALKERS: tuple[Walker, ...] = (
    LinkWalker(),
    FollowUpWalker(),
    RelationWalker(),
    SignalWalker(SignalSearcher(), (LinkWalker(),)),
    MatchingWalker(Bm25Searcher(), (LinkWalker(), RelationWalker())),
)
SELECTORS: tuple[Selector, ...] = (
    LearnedFusion(),
    RankedFusion(),
    RankedFusion(depth=2),
    RankedFusion(read=4),
    Reread(TopScore("bm25"), RankedFusion(read=4)),
    GraphFusion(),
    TopScore("bm25"),
    TopScore("dense"),
    TopSignals(),
    SignalsOnGraph(threshold=0.0),
    Appending(LearnedFusion(), EntityAssessor()),
    EntityFirst(),
    EntityMatch(),
    EntityCount(),
    JudgedLast(LearnedFusion(), at_hop=1),
    Listwise(at_hop=1),
)
ASSESSORS: tuple[Assessor, ...] = (
    EntityAssessor(),
    EntityAssessor(own=True),
    AspectAssessor(),
    JudgedAspects(lambda prompt: ""),
    JudgedAspects(
        lambda prompt: '[{"aspect": 1, "score": 0.9, "passage": 1}, {"aspect": 3, "score": 0.1, "passage": 2}]'
    ),
)
STOP_RULES: tuple[StopRule, ...] = (
    FixedHops(1),
    FixedHops(3),
    WhenFull(2),
    AspectStop(),
    WhenCovered(),
    WhenSettled(),
    WhenWalked(),
)


def _name(part: object) -> str:
    return type(part).__name__


class TestPlanners(PlannerContract):
    @pytest.fixture(params=PLANNERS, ids=_name)
    def planner(self, request: pytest.FixtureRequest) -> Planner:
        planner: Planner = request.param
        return planner


class TestQueryWriters(QueryWriterContract):
    @pytest.fixture(params=WRITERS, ids=_name)
    def writer(self, request: pytest.FixtureRequest) -> QueryWriter:
        writer: QueryWriter = request.param
        return writer


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


class TestWalkers(WalkerContract):
    @pytest.fixture(params=WALKERS, ids=_name)
    def walker(self, request: pytest.FixtureRequest) -> Walker:
        walker: Walker = request.param
        return walker


class TestSelectors(SelectorContract):
    @pytest.fixture(params=SELECTORS, ids=_name)
    def selector(self, request: pytest.FixtureRequest) -> Selector:
        selector: Selector = request.param
        return selector


class TestAssessors(AssessorContract):
    @pytest.fixture(params=ASSESSORS, ids=_name)
    def assessor(self, request: pytest.FixtureRequest) -> Assessor:
        assessor: Assessor = request.param
        return assessor


class TestStopRules(StopRuleContract):
    @pytest.fixture(params=STOP_RULES, ids=_name)
    def stop(self, request: pytest.FixtureRequest) -> StopRule:
        stop: StopRule = request.param
        return stop


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()
