"""The question in the words of the plan."""

from __future__ import annotations

from multihop.parts.query_writers import AskEnhanced
from multihop.types import Plan, Query

from ..making import BARE, state


def test_the_enhanced_question_is_asked_where_the_plan_has_one() -> None:
    enhanced = state(hop=0, k=7, plan=Plan(sub_questions=("Who? net zero target",)))
    [query] = AskEnhanced().write(enhanced, BARE)
    assert query == Query("Who? net zero target", "the question and the keywords of its profile", 7)


def test_without_keywords_it_is_the_question_as_it_is() -> None:
    assert AskEnhanced().write(state(hop=0, k=7), BARE) == (Query("Who?", "the question as it is", 7),)


def test_it_asks_once() -> None:
    assert AskEnhanced().write(state(hop=1), BARE) == ()
