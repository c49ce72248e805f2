"""Which aspects a question has, how far documents cover them, and when to stop, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multihop.errors import InvalidInput
from multihop.lm import language_model
from multihop.lm.aspects import UNUSABLE, aspect_terms, aspects_of, aspects_step
from multihop.lm.steps import failed_step
from multihop.parts.assessors import AspectAssessor
from multihop.parts.planners.aspects import GivenAspects, aspects
from multihop.parts.searchers.retriever import Retrieved, score_of
from multihop.parts.stop import AspectStop, weighted_coverage
from multihop.protocols import Asker, Context, Lookup, State
from multihop.rendering.phrases import capitalize
from multihop.types import CORE, Aspect, Candidate, Choice, Coverage, Note, Plan, Selection, Target

ASSESSOR = AspectAssessor(apart=0.0, relevance=True)
"""As documented the best document decides, so a comparison needs one that compares, and its relevance counts."""


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
        """Return whether an aspect, given as such or by its description, reaches the threshold."""
        name = aspect if isinstance(aspect, str) else aspect.aspect
        return self.coverage_scores.get(name, 0.0) >= threshold

    def get_uncovered_aspects(self, threshold: float = 0.5) -> list[QueryAspect]:
        """List the aspects below the threshold, the most important first."""
        uncovered = [a for a in self.aspects if not self.is_aspect_covered(a, threshold)]
        return sorted(uncovered, key=lambda a: -a.importance)

    def get_coverage_percentage(self, threshold: float = 0.5) -> float:
        """Return the share of the aspects that are covered, from 0 to 1."""
        if not self.aspects:
            return 0.0
        return sum(self.is_aspect_covered(a, threshold) for a in self.aspects) / len(self.aspects)

    def get_weighted_coverage(self) -> float:
        """Return the mean coverage score, weighted by importance, from 0 to 1."""
        return weighted_coverage(_coverage(self, 0.5))


class QueryPlanner:
    """Says which aspects a question has, how far documents cover them, and whether to go on searching."""

    def __init__(
        self,
        min_hops: int = 3,
        max_hops: int = 10,
        enable_aspect_coverage: bool = True,
        *,
        llm_client: Any = None,
        weighted_threshold: float | None = 0.7,
    ) -> None:
        if min_hops < 0 or max_hops < 1:
            raise InvalidInput(f"min_hops must be at least 0 and max_hops at least 1; got {min_hops} and {max_hops}")
        if min_hops > max_hops:
            raise InvalidInput(f"min_hops must not be more than max_hops; got {min_hops} and {max_hops}")
        if weighted_threshold is not None and not 0 <= weighted_threshold <= 1:
            raise InvalidInput(f"the threshold is a share from 0 to 1, or None to adapt it; got {weighted_threshold!r}")
        self.min_hops = min_hops
        self.max_hops = max_hops
        self.enable_aspect_coverage = enable_aspect_coverage
        self.llm_client = llm_client
        self.weighted_threshold = weighted_threshold

    def extract_aspects(self, question: str) -> list[QueryAspect]:
        """List the aspects of a question, by the language model where there is one, otherwise by rule."""
        # As documented the type is among the keywords: ["self-attention", "definition"].
        return [
            QueryAspect(a.text, a.type, a.importance, [*a.subjects, *a.keywords, a.type])
            for a in self.plan(question).aspects
        ]

    def plan(self, question: str, session: Asker | None = None) -> GivenAspects:
        """Do as `extract_aspects`, and say in the notes what the language model could not do.

        With a `session` the model is asked as part of a question whose books are kept there.
        """
        model = language_model(self.llm_client)
        asker = session or (model.session() if model else None)
        named, notes = _ask_for_aspects(question, asker) if asker else ((), ())
        return GivenAspects(named or aspects(question), notes)

    def stop_rule(self, min_confidence_threshold: float = 0.5) -> AspectStop:
        """Return the documented rule with the limits of this planner."""
        return AspectStop(self.min_hops, self.max_hops, self.weighted_threshold, min_confidence_threshold)

    def update_coverage(
        self, coverage: AspectCoverage, retrieved_docs: Iterable[Any], current_hop: int, coverage_threshold: float = 0.5
    ) -> AspectCoverage:
        """Match documents to aspects; the best document decides, and a score never falls."""
        # The documents are given as what a retriever found, so that the assessor of the loop can judge them.
        given = Retrieved(lambda _query, _k: list(retrieved_docs))
        ranked = given.lexical([Lookup("", 0)])[0]
        pool = {id: Candidate(passage, {}, current_hop) for id, passage in given.passages(i for i, _ in ranked).items()}
        plan = Plan(aspects=tuple(map(_private, coverage.aspects)))
        state = State("", max(1, len(pool)), plan, current_hop, pool=pool)
        state = replace(state, selection=Selection(tuple(Choice(id, score, "") for id, score in ranked)))
        scores, hops = dict(coverage.coverage_scores), dict(coverage.covered_by_hop)
        for target in ASSESSOR.assess(state, Context(given.index())).targets:
            scores[target.name] = max(target.score, scores.get(target.name, 0.0))
            if scores[target.name] >= coverage_threshold:
                # The hop that first covered it stays with it.
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
        """Return whether another hop is needed, and why: the limits first, then coverage, then document quality."""
        choices = tuple(Choice(str(i), score_of(d, 0.0), "") for i, d in enumerate(retrieved_docs))
        # Without aspects to cover, the rule goes by the quality of the documents.
        known = aspect_coverage if aspect_coverage is not None and self.enable_aspect_coverage else AspectCoverage([])
        state = State("", max(1, len(choices)), Plan(), current_hop, selection=Selection(choices))
        state = replace(state, coverage=_coverage(known, coverage_threshold))
        decision = self.stop_rule(min_confidence_threshold).decide(state)
        return not decision.stop, capitalize(decision.reason)


def _coverage(known: AspectCoverage, threshold: float) -> Coverage:
    targets = []
    for a in known.aspects:
        by = a.aspect if known.is_aspect_covered(a, threshold) else ""
        score, hop = known.coverage_scores.get(a.aspect, 0.0), known.covered_by_hop.get(a.aspect, 0)
        targets.append(Target(a.aspect, f"aspect:{a.aspect_type}", score, a.importance, by, hop))
    return Coverage(tuple(targets))


def _private(aspect: QueryAspect) -> Aspect:
    """Read keywords as a caller or a language model gives them: those the description names are what it is about."""
    subjects, others = aspect_terms(aspect.aspect, aspect.keywords)
    return Aspect(aspect.aspect, aspect.aspect_type, aspect.importance, subjects, others)


def _ask_for_aspects(question: str, asker: Asker) -> tuple[tuple[Aspect, ...], tuple[Note, ...]]:
    """Ask a language model for the aspects; without a usable answer, say so in a note."""
    [answer] = asker.ask([aspects_step(question)], 0)
    named = aspects_of(answer)
    problem = answer.problem or UNUSABLE
    return named, () if named else (failed_step("query_aspects", 0, problem),)
