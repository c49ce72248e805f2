"""Research with aspect coverage: search until every facet of a question is covered, whatever does the searching.

`ResearchAgent` runs the loop with the parts of the strategy `aspects`, over an engine of ours or over any retriever.
The other classes show those parts as plain values: what was asked (`QueryAspect`), how far it is covered
(`AspectCoverage`) and when to stop (`QueryPlanner`).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multihop import loop
from multihop.answering.chain import chain_of
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.lm import language_model
from multihop.lm.client import ClientModel
from multihop.loop import Strategy
from multihop.parts.assessors import AspectAssessor
from multihop.parts.assessors.aspects import aspect_terms
from multihop.parts.assessors.judged import JudgedAspects
from multihop.parts.planners.aspects import GivenAspects, aspects
from multihop.parts.query_writers import AspectQueries
from multihop.parts.searchers.retriever import Retrieved, RetrieverSearcher, callable_of, score_of
from multihop.parts.selectors import Appending, LearnedFusion, TopScore
from multihop.parts.stop import AspectStop, FixedHops, weighted
from multihop.protocols import Asker, Assessor, Context, Lookup, State, Step, StopRule
from multihop.rendering.aspect_log import aspect_log as trace_log
from multihop.rendering.aspect_log import hop_log
from multihop.rendering.phrases import capitalized
from multihop.research_report import ResearchReport, report_of
from multihop.strategies import ASPECTS
from multihop.types import (
    CORE,
    Aspect,
    Candidate,
    Choice,
    Coverage,
    Decision,
    Evidence,
    Hop,
    Plan,
    Query,
    Result,
    Selection,
    Target,
)
from multihop.types.channels import RETRIEVER

TYPES = ("definition", "comparison", "process", "causal", "evaluation", "application")
_MOST = 12
_ASSESSOR = AspectAssessor(apart=0.0, relevance=True)
"""As documented the best document decides, so a comparison needs one that compares, and its relevance counts."""
_LOG = logging.getLogger("multihop.research")


# --- values ---------------------------------------------------------------------------------------


@dataclass
class QueryAspect:
    """One facet of a question: core from an importance of 0.8 on, optional below."""

    aspect: str
    aspect_type: str
    importance: float = 1.0
    keywords: list[str] = field(default_factory=list)

    @property
    def core(self) -> bool:
        return self.importance >= CORE


@dataclass
class AspectCoverage:
    """How far each aspect is covered, from 0 to 1, and the hop that first covered it."""

    aspects: list[QueryAspect]
    coverage_scores: dict[str, float] = field(default_factory=dict)
    covered_by_hop: dict[str, int] = field(default_factory=dict)

    def is_aspect_covered(self, aspect: QueryAspect | str, threshold: float = 0.5) -> bool:
        """Tell whether an aspect, given as such or by its description, reaches the threshold."""
        name = aspect if isinstance(aspect, str) else aspect.aspect
        return self.coverage_scores.get(name, 0.0) >= threshold

    def get_uncovered_aspects(self, threshold: float = 0.5) -> list[QueryAspect]:
        """List the aspects below the threshold, the most important first."""
        found = [a for a in self.aspects if not self.is_aspect_covered(a, threshold)]
        return sorted(found, key=lambda a: -a.importance)

    def get_coverage_percentage(self, threshold: float = 0.5) -> float:
        """Give the share of the aspects that are covered, from 0 to 1."""
        if not self.aspects:
            return 0.0
        return sum(self.is_aspect_covered(a, threshold) for a in self.aspects) / len(self.aspects)

    def get_weighted_coverage(self) -> float:
        """Give the mean coverage score, weighted by importance, from 0 to 1."""
        return weighted(_coverage(self, 0.5))


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """What was found for a question: documents, the sub-queries that led to them, and how far they cover it."""

    question: str
    documents: tuple[Mapping[str, Any], ...]
    sub_queries: tuple[str, ...]
    metadata: Mapping[str, Any]
    result: Result
    """The whole result of the loop, with its trace."""
    report: ResearchReport
    """What the documents say of each aspect, with citations, and what is not covered."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return self.result.evidence


# --- planning and stopping ------------------------------------------------------------------------


class QueryPlanner:
    """Says which aspects a question has, how far documents cover them, and whether to go on searching."""

    def __init__(
        self,
        min_hops: int = 3,
        max_hops: int = 10,
        enable_aspect_coverage: bool = True,
        *,
        llm_client: Any = None,
        weighted_threshold: float = 0.7,
    ) -> None:
        if min_hops < 0 or max_hops < 1 or min_hops > max_hops:
            raise InvalidInput(f"0 ≤ min_hops ≤ max_hops and 1 ≤ max_hops are needed; got {min_hops} and {max_hops}")
        self.min_hops = min_hops
        self.max_hops = max_hops
        self.enable_aspect_coverage = enable_aspect_coverage
        self.llm_client = llm_client
        self.weighted_threshold = weighted_threshold

    def extract_aspects(self, question: str) -> list[QueryAspect]:
        """List the aspects of a question, by the language model where there is one, otherwise by rule."""
        return [_public(a) for a in self.plan(question).aspects]

    def plan(self, question: str, session: Asker | None = None) -> GivenAspects:
        """Do as `extract_aspects`, and say in the notes what the language model could not do.

        With a `session` the model is asked as part of a question whose books are kept there.
        """
        model = language_model(self.llm_client)
        asker = session or (model.session() if model else None)
        found, notes = _asked_for(question, asker) if asker else ((), ())
        return GivenAspects(found or aspects(question), notes)

    def stop_rule(self, min_confidence_threshold: float = 0.5) -> AspectStop:
        """Give the documented rule with the limits of this planner."""
        return AspectStop(self.min_hops, self.max_hops, self.weighted_threshold, min_confidence_threshold)

    def update_coverage(
        self, coverage: AspectCoverage, retrieved_docs: Iterable[Any], current_hop: int, coverage_threshold: float = 0.5
    ) -> AspectCoverage:
        """Match documents to aspects; the best document decides, and a score never falls."""
        # The documents are given as what a retriever found, so that the assessor of the loop can judge them.
        given = Retrieved(lambda _query, _k: list(retrieved_docs))
        found = given.lexical([Lookup("", 0)])[0]
        pool = {id: Candidate(passage, {}, current_hop) for id, passage in given.passages(i for i, _ in found).items()}
        plan = Plan(aspects=tuple(map(_private, coverage.aspects)))
        state = State("", max(1, len(pool)), plan, current_hop, pool=pool)
        state = replace(state, selection=Selection(tuple(Choice(id, score, "") for id, score in found)))
        scores, hops = dict(coverage.coverage_scores), dict(coverage.covered_by_hop)
        for target in _ASSESSOR.assess(state, Context(given.index())).targets:
            scores[target.name] = max(target.score, scores.get(target.name, 0.0))
            if scores[target.name] >= coverage_threshold:
                hops.setdefault(target.name, current_hop)
        return AspectCoverage(coverage.aspects, scores, hops)

    def should_continue_retrieval(
        self,
        retrieved_docs: Sequence[Any],
        current_hop: int,
        aspect_coverage: AspectCoverage | None = None,
        coverage_threshold: float = 0.5,
        min_confidence_threshold: float = 0.5,
    ) -> tuple[bool, str]:
        """Say whether another hop is needed, and why: the limits first, then coverage, then document quality."""
        choices = tuple(Choice(str(i), score_of(d, 0.0), "") for i, d in enumerate(retrieved_docs))
        known = aspect_coverage if aspect_coverage is not None and self.enable_aspect_coverage else AspectCoverage([])
        state = State("", max(1, len(choices)), Plan(), current_hop, selection=Selection(choices))
        state = replace(state, coverage=_coverage(known, coverage_threshold))
        decision = self.stop_rule(min_confidence_threshold).decide(state)
        return not decision.stop, capitalized(decision.reason)


def _coverage(known: AspectCoverage, threshold: float) -> Coverage:
    targets = []
    for a in known.aspects:
        by = a.aspect if known.is_aspect_covered(a, threshold) else ""
        score, hop = known.coverage_scores.get(a.aspect, 0.0), known.covered_by_hop.get(a.aspect, 0)
        targets.append(Target(a.aspect, f"aspect:{a.aspect_type}", score, a.importance, by, hop))
    return Coverage(tuple(targets))


def _public(aspect: Aspect) -> QueryAspect:
    return QueryAspect(aspect.text, aspect.type, aspect.importance, [*aspect.subjects, *aspect.keywords, aspect.type])


def _private(aspect: QueryAspect) -> Aspect:
    """Read keywords as a caller or a language model gives them: those the description names are what it is about."""
    subjects, others = aspect_terms(aspect.aspect, aspect.keywords)
    return Aspect(aspect.aspect, aspect.aspect_type, aspect.importance, subjects, others)


# --- the agent ------------------------------------------------------------------------------------


class ResearchAgent:
    """Searches hop by hop until the aspects of a question are covered.

    `retriever` is an engine of ours, or anything with `retrieve(query, k)`, or a callable of the same form, that gives
    dictionaries with `content`, `title` and `score`. `llm_client` is a language model by its LiteLLM name, a `dspy.LM`,
    what `multihop.lm.open_lm` gives, or a client of your own (with `generate(prompt)`, or a callable). It names the
    aspects when `use_llm`, and with `llm_coverage` judges after every hop how well they are covered; when it fails, the
    rules do. With `llm_report` it writes the statements of the report, one call an aspect, except for a client of your
    own. Its calls are in the trace. Without `adaptive_mode` every aspect is asked for in one hop.
    """

    def __init__(
        self,
        retriever: Any,
        llm_client: Any = None,
        use_llm: bool = True,
        adaptive_mode: bool = True,
        min_hops: int = 3,
        max_hops: int = 10,
        *,
        k: int = 21,
        per_hop: int = 5,
        query_planner: QueryPlanner | None = None,
        llm_coverage: bool = False,
        llm_report: bool = True,
    ) -> None:
        self.retriever = retriever
        self.lm = language_model(llm_client) if use_llm else None
        self.llm_coverage = llm_coverage
        self.llm_report = llm_report
        self.adaptive_mode = adaptive_mode
        self.k = k
        self.per_hop = per_hop
        self.query_planner = query_planner or QueryPlanner(min_hops, max_hops, llm_client=self.lm)

    def process(self, question: str, *, on_hop: Callable[[Hop], None] | None = None) -> ResearchResult:
        """Find the documents for a question; `on_hop` sees every hop as soon as it is over."""
        if not isinstance(question, str) or not question.strip():
            raise InvalidInput("the question is empty; give a question")
        lm = _OneQuestion(self.lm.name, self.lm.session()) if self.lm else None
        strategy = self._strategy(self._planned(question, lm))

        def logged(hop: Hop) -> None:
            for line in hop_log(hop):
                if line:
                    _LOG.info("%s", line)
            if on_hop is not None:
                on_hop(hop)

        if isinstance(self.retriever, Engine):
            result = self.retriever.retrieve(question, k=self.k, strategy=strategy, on_hop=logged, lm=lm)
        else:
            index = Retrieved(callable_of(self.retriever)).index()
            result = loop.run(strategy, question, self.k, index, on_hop=logged, lm=lm)
            result = replace(result, chain=chain_of(result, index))
        # A client of the caller's own is asked in plain text, for aspects and coverage alone.
        writes = lm is not None and self.llm_report and not isinstance(self.lm, ClientModel)
        report = report_of(result, lm.session() if lm is not None and writes else None)
        if lm is not None:
            calls = tuple(lm.session().calls)
            result = replace(result, trace=replace(result.trace, lm_calls=calls))
        return _researched(result, report, self.adaptive_mode and self.query_planner.enable_aspect_coverage)

    def _planned(self, question: str, lm: _OneQuestion | None) -> GivenAspects:
        # A planner of the caller's may have a model of its own, and another form of `plan`.
        if lm is None or self.query_planner.llm_client is not self.lm:
            return self.query_planner.plan(question)
        return self.query_planner.plan(question, lm.session())

    def _strategy(self, planner: GivenAspects) -> Strategy:
        own = isinstance(self.retriever, Engine)
        writer = ASPECTS.writer if own else AspectQueries(part_depth=self.per_hop, whole=False, seeds=0)
        stop: StopRule = self.query_planner.stop_rule()
        if not self.adaptive_mode:
            writer, stop = AspectQueries(part_depth=self.per_hop, whole=own, at_once=True), FixedHops(1)
        elif not self.query_planner.enable_aspect_coverage:
            stop = ByQuality(self.query_planner.stop_rule())
        searcher = ASPECTS.searcher if own else RetrieverSearcher()
        selector = Appending(LearnedFusion(), _ASSESSOR) if own else Appending(TopScore(RETRIEVER), _ASSESSOR, None)
        found = replace(ASPECTS, planner=planner, writer=writer, searcher=searcher, selector=selector)
        found = replace(found, walker=ASPECTS.walker if own else None)
        assessor: Assessor = JudgedAspects(inner=_ASSESSOR) if self.lm and self.llm_coverage else _ASSESSOR
        return replace(found, assessor=assessor, stop=stop)


@dataclass(frozen=True, slots=True)
class _OneQuestion:
    """A model whose session has begun: the plan is made before the loop, and both keep the same books."""

    name: str
    asker: Asker

    def session(self, prompts: Any = None) -> Asker:
        return self.asker


@dataclass(frozen=True, slots=True)
class ByQuality:
    """The documented rule without its tier on aspects."""

    rule: AspectStop

    def decide(self, state: State) -> Decision:
        return self.rule.decide(replace(state, coverage=Coverage()))


def _researched(result: Result, report: ResearchReport, enabled: bool) -> ResearchResult:
    documents = tuple(
        {"id": e.passage.id, "title": e.passage.title, "content": e.passage.text, "score": e.score, "hop": e.hop}
        for e in result.evidence
    )
    asked = tuple(f.query.text for hop in result.trace.hops for f in hop.found if isinstance(f.query, Query))
    metadata = {
        "aspect_coverage": _described(result.coverage if enabled else Coverage(), enabled),
        "hops": len(result.trace.hops),
        "stop_reason": capitalized(result.trace.hops[-1].decision.reason),
        "notes": [*result.trace.plan.notes, *result.trace.notes, *report.notes],
    }
    return ResearchResult(result.question, documents, asked, metadata, result, report)


def _described(coverage: Coverage, enabled: bool) -> dict[str, Any]:
    covered = sum(t.covered for t in coverage.targets)
    return {
        "enabled": enabled,
        "total_aspects": len(coverage.targets),
        "coverage_percentage": covered / len(coverage.targets) if coverage.targets else 0.0,
        "weighted_coverage": weighted(coverage),
        "uncovered_count": len(coverage.targets) - covered,
        "aspects": [
            {
                "aspect": t.name,
                "type": t.kind.removeprefix("aspect:"),
                "importance": t.importance,
                "coverage_score": t.score,
                "covered_at_hop": t.hop if t.covered else None,
            }
            for t in coverage.targets
        ],
    }


def aspect_log(result: Result | ResearchResult) -> str:
    """Tell a trace hop by hop: aspects, sub-query, what was found, coverage, what is uncovered, and the decision."""
    return trace_log(result.result if isinstance(result, ResearchResult) else result)


# --- aspects by a language model ------------------------------------------------------------------


def _asked_for(question: str, asker: Asker) -> tuple[tuple[Aspect, ...], tuple[str, ...]]:
    """Ask a language model for the aspects; without a usable answer, say so in a note."""
    [answer] = asker.ask([Step("query_aspects", {"question": question})], 0)
    made = [_aspect(item) for item in (answer.values or {"aspects": ()})["aspects"][:_MOST]]
    found = {a.text.casefold(): a for a in made if a is not None}
    problem = answer.problem or "no usable aspects"
    return tuple(found.values()), () if found else (f"language model, plan, query_aspects: {problem}; done by rule",)


def _aspect(item: Mapping[str, Any]) -> Aspect | None:
    text, kind = item.get("aspect"), item.get("type", item.get("aspect_type"))
    importance, keywords = item.get("importance", 1.0), item.get("keywords", [])
    if not isinstance(text, str) or not 0 < len(text.strip()) <= 300 or not isinstance(kind, str):
        return None
    if kind.strip().casefold() not in TYPES:
        return None
    if not isinstance(importance, int | float) or not isinstance(keywords, list | tuple):
        return None
    words = [k.strip() for k in keywords if isinstance(k, str) and 0 < len(k.strip()) <= 100][:20]
    weight = min(1.0, max(0.0, float(importance))) if math.isfinite(importance) else 1.0
    return _private(QueryAspect(" ".join(text.split()), kind.strip().casefold(), weight, words))
