"""Planners made for a language model, by their rules, since none is here. With one: tests/lm/test_strategies.py."""

from __future__ import annotations

import pytest

from multihop import Engine
from multihop.parts.planners import AspectPlanner, RulePlanner
from multihop.parts.planners.lm import DecomposingPlanner, GapPlanner, NamedAspectPlanner, SubQueryPlanner
from multihop.protocols import Context, Planner

QUESTION = "Who drew the ship Fram, and in which town was Roald Amundsen born?"
CLAUSES = ("Who drew the ship Fram", "in which town was Roald Amundsen born")


@pytest.fixture
def context(sample: Engine) -> Context:
    return Context(sample.index())


def test_the_gap_planner_takes_clauses_for_facts_and_names_for_the_query(context: Context) -> None:
    plan = GapPlanner().plan(QUESTION, context)
    assert plan.sub_questions == plan.facts == CLAUSES
    assert plan.queries == ("Fram Roald Amundsen",)
    assert GapPlanner().plan("who was it?", context).queries == ("who was it?",)


def test_the_sub_query_planner_gives_two_or_three_distinct_queries(context: Context) -> None:
    assert SubQueryPlanner().plan(QUESTION, context).queries == (*CLAUSES, QUESTION)
    assert SubQueryPlanner().plan("Who was Roald Amundsen?", context).queries == (
        "Who was Roald Amundsen?",
        "Roald Amundsen",
    )


def test_the_decomposing_planner_is_its_rules(context: Context) -> None:
    assert DecomposingPlanner().plan(QUESTION, context) == RulePlanner().plan(QUESTION, context)


def test_the_aspects_are_those_of_the_rules_where_no_model_names_them(context: Context) -> None:
    question = "Why does the ozone layer matter, what damages it and how is it being protected?"
    assert NamedAspectPlanner().plan(question, context) == AspectPlanner().plan(question, context)


@pytest.mark.parametrize("planner", [GapPlanner(), SubQueryPlanner(), DecomposingPlanner()])
def test_all_keep_the_entities_of_the_rules_and_say_that_no_model_was_there(planner: Planner, context: Context) -> None:
    assert planner.plan(QUESTION, context).entities == RulePlanner().plan(QUESTION, context).entities
    assert any(note.code == "lm-missing" for note in context.notes)
