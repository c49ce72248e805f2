"""Strategies by name: the settings of the one loop, as values.

`bm25`, `dense` and `hybrid-rrf` are first stages to measure against; `auto` is the default and needs no language model.
`gap` and `listwise` are made for one; without it they work by their rules.
"""

from __future__ import annotations

from dataclasses import replace

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.loop import Strategy
from multihop.parts.assessors import AspectAssessor, EntityAssessor
from multihop.parts.planners import AspectPlanner, ProfilePlanner, RulePlanner
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
from multihop.parts.rerankers import open_reranker
from multihop.parts.searchers import (
    Bm25Searcher,
    CitationWalker,
    DenseSearcher,
    FollowUpWalker,
    LinkWalker,
    MatchingSearcher,
    MatchingWalker,
    NameSearcher,
    NextPassageWalker,
    RankFusion,
    RelationWalker,
    SignalSearcher,
    SignalWalker,
)
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
    model_free,
    read_by,
)
from multihop.parts.selectors.entities import EntityCount, EntityMatch
from multihop.parts.selectors.fusion import WEIGHTS
from multihop.parts.selectors.lm import JudgedLast, Listwise
from multihop.parts.stop import AspectStop, FixedHops, WhenCovered, WhenFull, WhenSettled, WhenWalked
from multihop.profiles.values import Profile
from multihop.protocols import Reranker
from multihop.registry import Registry
from multihop.types import channels

# Most of the others are written as what they do differently from this one.
AUTO_FAST = Strategy(
    name="auto-fast",
    description="auto without models: names, BM25, vectors where there are any, then links; a weighted sum decides",
    planner=RulePlanner(),
    writer=FollowLinks(),
    searcher=MatchingSearcher(Bm25Searcher(), (NameSearcher(), DenseSearcher())),
    walker=MatchingWalker(Bm25Searcher(), (LinkWalker(),)),
    selector=LearnedFusion(),
    assessor=EntityAssessor(),
    stop=WhenSettled(),
)
_READING = RankedFusion(LearnedFusion({**WEIGHTS, channels.FOLLOW_UP: 0.5, channels.NEXT: 0.3}), read=32)
AUTO = replace(
    AUTO_FAST,
    name="auto",
    description="names in the question, BM25, vectors where there are any, then links and follow-up queries; a learned "
    "ranking fills the budget, and reads the best candidates when the last hop is over",
    writer=FollowLinks(seeds=8),
    walker=MatchingWalker(
        Bm25Searcher(),
        (LinkWalker(names=60, targets=160), CitationWalker(), FollowUpWalker(), NextPassageWalker()),
    ),
    selector=_READING,
)
AUTO_LM = replace(
    AUTO,
    description="as auto, with sub-questions, follow-up queries and a judgement of the last places by a language model",
    planner=DecomposingPlanner(),
    writer=FollowEvidence(FollowLinks(seeds=8)),
    selector=JudgedLast(AUTO.selector),
    # The model judges in the third hop, so there is always one.
    stop=FixedHops(3),
)
"""What `auto` becomes where a language model is configured: at most three calls a question."""
GAP = replace(
    AUTO_FAST,
    name="gap",
    description="sub-questions and facts to verify, then bridging entities, then twice what gap analysis finds missing",
    planner=GapPlanner(),
    writer=GapQueries(),
    selector=Reread(EntityMatch(), _READING),
    stop=FixedHops(4),
)
# Kept to the letter of its description, so that what was changed can be measured.
GAP_DOCUMENTED = Strategy(
    name="gap-documented",
    description="gap as first described: one sub-question, lexical search, ranked by the entities named alone",
    planner=GapPlanner(),
    writer=GapQueries(every=False),
    searcher=Bm25Searcher(),
    selector=EntityCount(),
    assessor=EntityAssessor(),
    stop=WhenFull(4),
)
LISTWISE = replace(
    AUTO_FAST,
    name="listwise",
    description="two or three queries about different entities and their links, ranked by a language model",
    planner=SubQueryPlanner(),
    writer=SubQueries(),
    selector=Reread(Listwise(), _READING),
    stop=FixedHops(2),
)
LISTWISE_DOCUMENTED = Strategy(
    name="listwise-documented",
    description="listwise as first described: lexical search, one hop, the order of the language model alone",
    planner=SubQueryPlanner(),
    writer=SubQueries(whole=False, links=None),
    searcher=Bm25Searcher(),
    selector=Listwise(TopScore(channels.BM25), at_hop=1, kept=0.0),
    assessor=EntityAssessor(),
    stop=WhenFull(1),
)
REPLACE = Strategy(
    name="replace",
    description="the question, then micro-queries for what is named and not covered; replacement under the budget",
    planner=RulePlanner(bridges=2),
    writer=MicroQueries(),
    # No walker: what is missing is reached by micro-queries alone.
    searcher=MatchingSearcher(Bm25Searcher(), (NameSearcher(passages=1), DenseSearcher())),
    selector=Reread(EntityFirst(TopScore(channels.BM25)), _READING),
    assessor=EntityAssessor(own=True),
    stop=WhenCovered(),
)
ASPECTS = replace(
    AUTO_FAST,
    name="aspects",
    description="facets of the question; each hop asks for the most important one uncovered, until all are covered",
    planner=AspectPlanner(),
    writer=AspectQueries(),
    selector=Reread(Appending(LearnedFusion(), AspectAssessor()), _READING),
    assessor=AspectAssessor(),
    stop=AspectStop(),
)
ASPECTS_LM = replace(
    ASPECTS,
    description="as aspects without a model, with the facets that a language model names",
    planner=NamedAspectPlanner(),
)


def graph(max_hops: int = 2, keywords: tuple[str, ...] = ()) -> Strategy:
    """Return the strategy `graph` with another reach (1 to 3 hops), or with keywords to append to the question."""
    if isinstance(max_hops, bool) or not isinstance(max_hops, int) or not 1 <= max_hops <= 3:
        raise InvalidInput(f"max_hops is the traversal depth, 1, 2 or 3; got {max_hops!r}")
    return replace(
        AUTO_FAST,
        name="graph",
        description="the best passages, then along mention links and relations between passages; scored by path, match "
        "and centrality",
        writer=WalkGraph(tuple(keywords)),
        walker=MatchingWalker(Bm25Searcher(), (LinkWalker(), RelationWalker())),
        selector=Reread(GraphFusion(), _READING),
        stop=WhenWalked(max_hops),
    )


GRAPH = graph()
BM25 = Strategy(
    name="bm25",
    description="one lexical search with the question as it is",
    planner=RulePlanner(),
    writer=AskOnce(),
    searcher=Bm25Searcher(),
    selector=TopScore(channels.BM25),
    assessor=EntityAssessor(),
    stop=FixedHops(1),
)
DENSE = replace(
    BM25,
    name="dense",
    description="one vector search with the question as it is; needs an embedder",
    # A first stage to measure against must not quietly do without what it is named for.
    searcher=DenseSearcher(required=True),
    selector=TopScore(channels.DENSE),
)
HYBRID_RRF = replace(
    BM25,
    name="hybrid-rrf",
    description="lexical and vector search merged by reciprocal rank; needs an embedder",
    searcher=RankFusion((Bm25Searcher(), DenseSearcher(required=True))),
    selector=TopScore(channels.RRF),
)
HYBRID = replace(
    BM25,
    name="hybrid",
    description="every passage scored by four signals: transformer, word2vec, patterns, fuzzy phrases; a threshold",
    planner=ProfilePlanner(),
    writer=AskEnhanced(),
    searcher=SignalSearcher(),
    selector=TopSignals(),
)
STRATEGIES: Registry[Strategy] = Registry("multihop.strategies", Strategy)
"""Strategies by name, those of other packages among them."""
_WITH_LM = {AUTO.name: AUTO_LM, ASPECTS.name: ASPECTS_LM}


def hybrid(profile: Profile, *, threshold: float | None = None) -> Strategy:
    """Make the strategy `hybrid` for a domain profile, with its own threshold or another."""
    name = f"{profile.name} {profile.digest}"
    planner, searcher = ProfilePlanner(name, values=profile), SignalSearcher(name, threshold, profile)
    return replace(HYBRID, planner=planner, searcher=searcher)


def graph_by_signals(profile: Profile, max_hops: int = 2) -> Strategy:
    """Make the strategy `graph` for a domain profile: its signals find the first passages and say how each matches."""
    signals = SignalSearcher(f"{profile.name} {profile.digest}", None, profile)
    return replace(
        graph(max_hops),
        planner=hybrid(profile).planner,
        writer=WalkEnhanced(),
        searcher=signals,
        walker=SignalWalker(signals, (RelationWalker(), LinkWalker())),
        selector=SignalsOnGraph(profile.scoring.threshold),
    )


def with_reranker(strategy: Strategy, reranker: Reranker | str) -> Strategy:
    """Return a strategy whose best candidates another reranker, or one of that name, reads when all hops are over.

    One that reads nothing so far then does, too. To measure it beside the original, give it a name of its own:
    `replace(with_reranker(AUTO, mine), name="auto-mine")`.
    """
    reader = open_reranker(reranker) if isinstance(reranker, str) else reranker
    return replace(strategy, selector=read_by(strategy.selector, reader))


def without_models(strategy: Strategy) -> Strategy:
    """Return a strategy as it works without models that rank; some use none and stay as they are."""
    # By its own name, so that a trace says what was used.
    if strategy == AUTO:
        return AUTO_FAST
    return replace(strategy, selector=model_free(strategy.selector))


def strategy(name: str, *, lm: bool = False) -> Strategy:
    """Look a strategy up by name; with `lm` in the form that it takes where a language model is configured."""
    if name not in STRATEGIES:
        raise UnknownName(f"there is no strategy {name!r}: {suggestion(name, STRATEGIES)}")
    return _WITH_LM[name] if lm and name in _WITH_LM else STRATEGIES[name]
