"""Planners that ask a language model, each with the rules it falls back on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop import text
from multihop.lm import answers
from multihop.lm.aspects import UNUSABLE, aspects_of, aspects_step
from multihop.lm.steps import failed_step
from multihop.parts.planners.aspects import AspectPlanner
from multihop.parts.planners.rules import RulePlanner
from multihop.protocols import Context, Step
from multihop.types import Plan

_MOST = 3


@dataclass(frozen=True, slots=True)
class GapPlanner:
    """Two or three sub-questions, the facts to verify and a query for them, all before any search.

    By rule the sub-questions and facts are the clauses of the question, and the query is what it names.
    """

    twin: RulePlanner = RulePlanner()

    def plan(self, question: str, context: Context) -> Plan:
        by_rule = self.twin.plan(question, context)
        # Given together, both steps are answered at the same time.
        split, gap = answers(
            context, 0, Step("claim_decomposition", {"claim": question}), Step("gap_analyzer", {"claim": question})
        )
        # A question of one clause is its own sub-question, so that the first hop always has something to ask.
        clauses = by_rule.sub_questions or (question,)
        return replace(
            by_rule,
            sub_questions=split.values["sub_questions"][:_MOST] if split.values else clauses,
            facts=gap.values["missing_facts"] if gap.values else clauses,
            queries=((gap.values and gap.values["query"]) or _entity_names(by_rule) or question,),
        )


@dataclass(frozen=True, slots=True)
class SubQueryPlanner:
    """Two or three diverse queries, each about another entity; by rule the clauses, or what the question names."""

    twin: RulePlanner = RulePlanner()

    def plan(self, question: str, context: Context) -> Plan:
        by_rule = self.twin.plan(question, context)
        [answer] = answers(context, 0, Step("entity_query_decomposition", {"claim": question}))
        given = answer.values["queries"] if answer.values else ()
        return replace(by_rule, queries=_enough(given, (*by_rule.sub_questions, question, _entity_names(by_rule))))


@dataclass(frozen=True, slots=True)
class DecomposingPlanner:
    """The rules, with sub-questions of a language model beside the clauses they find."""

    twin: RulePlanner = RulePlanner()

    def plan(self, question: str, context: Context) -> Plan:
        by_rule = self.twin.plan(question, context)
        [answer] = answers(context, 0, Step("claim_decomposition", {"claim": question}))
        if not answer.values:
            return by_rule
        return replace(
            by_rule, sub_questions=_distinct((*by_rule.sub_questions, *answer.values["sub_questions"][:_MOST]))
        )


@dataclass(frozen=True, slots=True)
class NamedAspectPlanner:
    """The aspects that a language model names; those of the rules where it names none that can be used."""

    twin: AspectPlanner = AspectPlanner()

    def plan(self, question: str, context: Context) -> Plan:
        by_rule = self.twin.plan(question, context)
        [answer] = answers(context, 0, aspects_step(question))
        aspects = aspects_of(answer)
        if answer.values and not aspects:
            context.note(failed_step("query_aspects", 0, UNUSABLE))
        return replace(by_rule, aspects=aspects) if aspects else by_rule


def _entity_names(plan: Plan) -> str:
    return " ".join(e.text for e in plan.entities if e.kind != "number")


def _enough(given: Sequence[str], by_rule: Sequence[str]) -> tuple[str, ...]:
    """Take two or three queries; fewer than two are completed by the rules."""
    queries = _distinct(given)[:_MOST] if given else _distinct(by_rule)[:_MOST]
    return queries if len(queries) > 1 else _distinct((*queries, *by_rule))[:2]


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    # Compared as folded words: queries that differ in case or punctuation find the same.
    kept = {text.surface_key(t): t for t in reversed(texts) if text.surface_key(t)}
    return tuple(t for t in dict.fromkeys(texts) if kept.get(text.surface_key(t)) == t)
