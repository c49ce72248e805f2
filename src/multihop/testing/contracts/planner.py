"""What every planner must do."""

from __future__ import annotations

import json

import pytest

from multihop.protocols import Context, Index, Planner
from multihop.testing.contracts.cities import QUESTION, QUESTIONS, assert_value, cities, city_context
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory
from multihop.types import Plan
from multihop.types.plain import plain


class PlannerContract:
    """What every planner must do; supply fixtures `planner` and `store_factory`."""

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_any_question_is_planned(self, planner: Planner, store_factory: StoreFactory, question: str) -> None:
        plan = planner.plan(question, city_context(store_factory))
        assert isinstance(plan, Plan)
        assert all(entity.text.strip() for entity in plan.entities)
        assert all(aspect.text.strip() and 0 < aspect.importance <= 1 for aspect in plan.aspects)
        # A query writer searches for these as they are, and an empty search finds nothing.
        assert all(text.strip() for text in (*plan.sub_questions, *plan.facts, *plan.queries))

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_nothing_is_planned_twice(self, planner: Planner, store_factory: StoreFactory, question: str) -> None:
        plan = planner.plan(question, city_context(store_factory))
        # Targets are told apart by these texts when coverage is compared from hop to hop.
        for texts in ([e.text for e in plan.entities], [a.text for a in plan.aspects], plan.sub_questions):
            assert len(set(texts)) == len(texts)

    def test_the_same_question_gives_the_same_plan(self, planner: Planner, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        plans = [planner.plan(question, Context(Index.of(view))) for _ in range(2) for question in QUESTIONS]
        assert plans[: len(QUESTIONS)] == plans[len(QUESTIONS) :]

    def test_an_empty_index_is_enough(self, planner: Planner, store_factory: StoreFactory) -> None:
        plan = planner.plan(QUESTION, Context(Index.of(store_factory(HashEmbedder()).view())))
        # Nothing is there to be named, so a document in the plan would be invented.
        assert [e for e in plan.entities if e.documents] == []

    def test_a_plan_can_be_written_into_a_trace(self, planner: Planner, store_factory: StoreFactory) -> None:
        plan = planner.plan(QUESTION, city_context(store_factory))
        assert json.loads(json.dumps(plain(plan))) == plain(plan)

    def test_it_is_a_value(self, planner: Planner) -> None:
        assert_value(planner=planner)
