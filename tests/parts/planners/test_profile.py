"""Planning with a domain profile."""

from __future__ import annotations

import pytest

from multihop import Engine
from multihop.parts.planners import ProfilePlanner
from multihop.profiles import load
from multihop.protocols import Context

CLIMATE = load("climate")


@pytest.fixture
def context(sample: Engine) -> Context:
    return Context(sample.index())


def test_a_question_of_the_profile_is_enhanced_and_the_plan_says_how(context: Context) -> None:
    asked = next(q for q in CLIMATE.questions if q.keywords)
    plan = ProfilePlanner("climate", values=CLIMATE).plan(asked.text, context)
    assert plan.sub_questions == (CLIMATE.enhance(asked.text),)
    assert plan.sub_questions[0].startswith(asked.text) and asked.keywords[0] in plan.sub_questions[0]
    appended = f"question {asked.number} of the profile; keywords appended: {', '.join(asked.keywords)}"
    assert appended in [note.text for note in plan.notes]


def test_another_question_is_asked_as_it_is(context: Context) -> None:
    plan = ProfilePlanner("climate", values=CLIMATE).plan("Who drew the Fram?", context)
    assert [note.text for note in plan.notes] == ["profile climate: topics none; the question alone is used"]


def test_without_a_profile_only_the_entities_are_read(context: Context) -> None:
    plan = ProfilePlanner().plan("Who drew the Fram, and where was Roald Amundsen born?", context)
    assert [e.text for e in plan.entities] == ["Fram", "Roald Amundsen"]
    assert (plan.sub_questions, plan.notes) == ((), ())
