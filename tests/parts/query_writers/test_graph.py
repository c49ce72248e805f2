"""The queries of a walk: the enhanced question, then the links of what it found."""

from __future__ import annotations

from multihop.parts.query_writers import WalkEnhanced, WalkGraph
from multihop.types import Plan, Query, Walk

from ..making import BARE, chosen, met, state

ENHANCED = "Who? net zero target"


def test_walk_enhanced_keeps_its_words_while_it_walks() -> None:
    plan = Plan(sub_questions=(ENHANCED,))
    [first] = WalkEnhanced().write(state(hop=0, plan=plan), BARE)
    assert isinstance(first, Query)
    assert first.text == ENHANCED
    walking = state(met("Fram"), plan=plan, selection=chosen("Fram#0"), tried=(first,))
    [step] = WalkEnhanced().write(walking, BARE)
    assert isinstance(step, Walk)
    assert (step.text, step.seeds) == (ENHANCED, (("Fram#0", 1.0),))


def test_keywords_of_walk_graph_go_with_the_first_query_only() -> None:
    plan = Plan(sub_questions=("What is it", "the target"))
    queries = WalkGraph(("baseline year", "GHG")).write(state(hop=0, question="What is it?", plan=plan), BARE)
    assert [q.text for q in queries] == ["What is it? baseline year GHG", "What is it", "the target"]
    assert [q.part for q in queries if isinstance(q, Query)] == [False, True, True]


def test_walk_graph_without_keywords_asks_and_follows() -> None:
    assert WalkGraph().write(state(hop=0), BARE) == (Query("Who?", "the question as it is", 50),)
    [step] = WalkGraph(("GHG",)).write(state(met("Fram"), selection=chosen("Fram#0")), BARE)
    assert isinstance(step, Walk)
    assert (step.text, step.seeds) == ("Who?", (("Fram#0", 1.0),))
