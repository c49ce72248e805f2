"""Micro-queries: one facet of each missing thing after the other."""

from __future__ import annotations

from multihop.parts.query_writers import MicroQueries
from multihop.types import Coverage, Plan, Query, Target

from ..making import BARE, state

QUESTION = "Which ship did Colin Archer draw, and who sailed it south?"
PLAN = Plan(sub_questions=("Which ship did Colin Archer draw", "who sailed it south"))


def missing(*names: str) -> Coverage:
    return Coverage(tuple(Target(name, "span", 0.0) for name in names))


def test_the_first_hop_asks_the_question() -> None:
    assert MicroQueries().write(state(question=QUESTION, hop=0), BARE) == (
        Query(QUESTION, "the question as it is", 50),
    )


def test_a_thing_that_stays_missing_is_asked_for_by_other_facets_until_none_is_left() -> None:
    tried: tuple[Query, ...] = ()
    asked = []
    for hop in range(1, 7):
        now = state(question=QUESTION, plan=PLAN, hop=hop, coverage=missing("Colin Archer"), tried=tried)
        queries = tuple(MicroQueries(micro_depth=4).write(now, BARE))
        asked += [(q.text, q.limit, q.part) for q in queries]
        tried += queries
    facets = ["Colin Archer", "Which ship did Colin Archer draw", "archer", "colin"]
    assert asked == [(facet, 4, True) for facet in facets]


def test_several_missing_things_are_asked_for_at_once() -> None:
    now = state(question=QUESTION, coverage=missing("Larvik", "Oslo", "Bergen"))
    queries = MicroQueries(entities=2).write(now, BARE)
    assert [q.text for q in queries] == ["Larvik", "Oslo"]
    assert queries[0].purpose == "“Larvik” is missing: by its name"


def test_nothing_missing_asks_nothing() -> None:
    assert MicroQueries().write(state(question=QUESTION, coverage=Coverage()), BARE) == ()
