"""The agent: the loop with the parts of the strategy `aspects`, over an engine of ours or over any retriever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from multihop import loop
from multihop.answering.chain import chain_of
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.lm import language_model
from multihop.lm.client import ClientModel
from multihop.loop import Strategy
from multihop.parts.assessors.judged import JudgedAspects
from multihop.parts.planners.aspects import GivenAspects
from multihop.parts.query_writers import AspectQueries
from multihop.parts.searchers.retriever import Retrieved, RetrieverSearcher, callable_of
from multihop.parts.selectors import Appending, LearnedFusion, TopScore
from multihop.parts.stop import AspectStop, FixedHops, weighted_coverage
from multihop.programs.research.log import hop_log
from multihop.programs.research.planning import ASSESSOR, QueryPlanner
from multihop.programs.research.report import ResearchReport, report_of
from multihop.protocols import Asker, Assessor, State, StopRule
from multihop.rendering.phrases import capitalize
from multihop.strategies import ASPECTS
from multihop.types import Coverage, Decision, Evidence, Hop, Query, Result, Where
from multihop.types.channels import RETRIEVER
from multihop.types.requests import check_day

_LOG = logging.getLogger("multihop.research")


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


class ResearchAgent:
    """Searches hop by hop until the aspects of a question are covered.

    `retriever` is an engine of ours, or anything with `retrieve(query)` or `search(query)`, with k or without, or a
    callable of that form, that gives dictionaries with `content`, `title` and `score`. `llm_client`, by default the
    language model of the engine, is a language model by its LiteLLM name, a `dspy.LM`,
    what `multihop.lm.open_lm` gives, or a client of your own (with `generate(prompt)`, or a callable). It names the
    aspects when `use_llm`, and with `llm_coverage` judges after every hop how well they are covered; when it fails, the
    rules do. With `llm_report` it writes the statements of the report, one call an aspect, except for a client of your
    own. Its calls are in the trace. Without `adaptive_mode` every aspect is asked for in one hop. `threshold` is the
    weighted coverage to reach; None adapts it to the number of aspects. `where` filters the documents of an engine by
    metadata, and `as_of` is the day on which they must hold, today by default.
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
        threshold: float | None = 0.7,
        where: Where | None = None,
        as_of: str | date | None = None,
    ) -> None:
        for name, value in (("where", where), ("as_of", as_of)):
            if value is not None and not isinstance(retriever, Engine):
                raise InvalidInput(f"{name} needs an Engine, which knows its documents; give one, or leave {name} out")
        check_day(as_of)
        self.retriever = retriever
        self.where = where
        self.as_of = as_of
        given = retriever.lm if llm_client is None and isinstance(retriever, Engine) else llm_client
        self.lm = language_model(given) if use_llm else None
        self.llm_coverage = llm_coverage
        self.llm_report = llm_report
        self.adaptive_mode = adaptive_mode
        self.k = k
        self.per_hop = per_hop
        self.query_planner = query_planner or QueryPlanner(
            min_hops, max_hops, llm_client=self.lm, weighted_threshold=threshold
        )

    def process(self, question: str, *, on_hop: Callable[[Hop], None] | None = None) -> ResearchResult:
        """Find the documents for a question; `on_hop` sees every hop as soon as it is over."""
        if not isinstance(question, str) or not question.strip():
            raise InvalidInput("the question is empty; give a question")
        lm = _OneQuestion(self.lm.name, self.lm.session()) if self.lm else None
        strategy = self._strategy(self._plan(question, lm))

        def log_hop(hop: Hop) -> None:
            for line in filter(None, hop_log(hop)):
                _LOG.info("%s", line)
            if on_hop is not None:
                on_hop(hop)

        if isinstance(self.retriever, Engine):
            result = self.retriever.retrieve(
                question,
                k=self.k,
                strategy=strategy,
                where=self.where,
                as_of=self.as_of,
                on_hop=log_hop,
                lm=lm or False,
            )
        else:
            index = Retrieved(callable_of(self.retriever)).index()
            result = loop.run(strategy, question, self.k, index, on_hop=log_hop, lm=lm)
            result = replace(result, chain=chain_of(result, index))
        # A client of the caller's own is asked in plain text, for aspects and coverage alone.
        writes = lm is not None and self.llm_report and not isinstance(self.lm, ClientModel)
        report = report_of(result, lm.session() if lm is not None and writes else None)
        if lm is not None:
            result = replace(result, trace=replace(result.trace, lm_calls=tuple(lm.session().calls)))
        return _build_result(result, report, self.adaptive_mode and self.query_planner.enable_aspect_coverage)

    def _plan(self, question: str, lm: _OneQuestion | None) -> GivenAspects:
        # A planner of the caller's may have a model of its own, and another form of `plan`.
        if lm is None or self.query_planner.llm_client is not self.lm:
            return self.query_planner.plan(question)
        return self.query_planner.plan(question, lm.session())

    def _strategy(self, planner: GivenAspects) -> Strategy:
        own = isinstance(self.retriever, Engine)
        strategy = replace(ASPECTS, selector=Appending(LearnedFusion(), ASSESSOR))
        if not own:
            # A foreign retriever has one search, no links to walk along, and scores of its own to rank by.
            writer = AspectQueries(part_depth=self.per_hop, whole=False, seeds=0)
            selector = Appending(TopScore(RETRIEVER), ASSESSOR, None)
            strategy = replace(strategy, writer=writer, searcher=RetrieverSearcher(), walker=None, selector=selector)
        stop: StopRule = self.query_planner.stop_rule()
        if not self.adaptive_mode:
            stop = FixedHops(1)
            strategy = replace(strategy, writer=AspectQueries(part_depth=self.per_hop, whole=own, at_once=True))
        elif not self.query_planner.enable_aspect_coverage:
            stop = ByQuality(self.query_planner.stop_rule())
        assessor: Assessor = JudgedAspects(inner=ASSESSOR) if self.lm and self.llm_coverage else ASSESSOR
        return replace(strategy, planner=planner, assessor=assessor, stop=stop)


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
        # Without targets the rule goes by the quality of the documents.
        return self.rule.decide(replace(state, coverage=Coverage()))


def _build_result(result: Result, report: ResearchReport, enabled: bool) -> ResearchResult:
    documents = tuple(
        {"id": e.passage.id, "title": e.passage.title, "content": e.passage.text, "score": e.score, "hop": e.hop}
        for e in result.evidence
    )
    asked = tuple(f.query.text for hop in result.trace.hops for f in hop.found if isinstance(f.query, Query))
    metadata = {
        "aspect_coverage": _describe_coverage(result.coverage if enabled else Coverage(), enabled),
        "hops": len(result.trace.hops),
        "stop_reason": capitalize(result.trace.hops[-1].decision.reason),
        "notes": [n.text for n in (*result.trace.plan.notes, *result.trace.notes, *report.notes)],
    }
    return ResearchResult(result.question, documents, asked, metadata, result, report)


def _describe_coverage(coverage: Coverage, enabled: bool) -> dict[str, Any]:
    covered = sum(t.covered for t in coverage.targets)
    return {
        "enabled": enabled,
        "total_aspects": len(coverage.targets),
        "coverage_percentage": covered / len(coverage.targets) if coverage.targets else 0.0,
        "weighted_coverage": weighted_coverage(coverage),
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
    """Describe a trace hop by hop: aspects, sub-query, hits, coverage, what is uncovered, and the decision."""
    trace = (result.result if isinstance(result, ResearchResult) else result).trace
    return "".join(f"{line}\n" for hop in trace.hops for line in hop_log(hop))
