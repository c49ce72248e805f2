"""Queries for the aspects of a question: what is uncovered first, core before optional, nothing twice."""

from __future__ import annotations

from multihop.parts.query_writers import AspectQueries
from multihop.types import Aspect, Coverage, Plan, Query, Target, Walk

from ..making import BARE, state

OPTIONAL = Aspect("Uses/examples of sonar", "application", 0.5, ("sonar",))
CORE = Aspect("Definition/explanation of radar", "definition", 1.0, ("radar",))
PLAN = Plan(aspects=(OPTIONAL, CORE))


def covered(*aspects: Aspect) -> Coverage:
    return Coverage(tuple(Target(a.text, a.type, 1.0, a.importance, "a#0", 1) for a in aspects))


def test_the_first_hop_asks_the_question_and_the_most_important_aspect() -> None:
    whole, part = AspectQueries().write(state(hop=0, plan=PLAN), BARE)
    assert isinstance(part, Query)
    assert (whole.text, part.text, part.part) == ("Who?", "What is radar?", True)
    [alone] = AspectQueries(whole=False).write(state(hop=0, plan=PLAN), BARE)
    assert alone == part


def test_what_is_covered_waits() -> None:
    [query] = AspectQueries(seeds=0).write(state(plan=PLAN, coverage=covered(CORE)), BARE)
    assert (query.text, query.purpose) == (
        "Uses and examples of sonar",
        "“Uses/examples of sonar” is not covered yet",
    )


def test_the_same_aspect_is_asked_for_in_other_words() -> None:
    tried: tuple[Query | Walk, ...] = ()
    for hop in range(1, 9):
        tried += tuple(AspectQueries(seeds=0).write(state(plan=PLAN, hop=hop, tried=tried), BARE))
    asked = [q.text for q in tried]
    assert asked[:3] == ["What is radar?", "radar", "radar meaning"]
    assert len(set(asked)) == len(asked) == 6, "three phrasings each, then nothing is left to ask"


def test_at_once_asks_for_every_aspect_in_the_first_hop() -> None:
    writer = AspectQueries(at_once=True)
    assert [q.text for q in writer.write(state(hop=0, plan=PLAN), BARE)] == [
        "Who?",
        "Uses and examples of sonar",
        "What is radar?",
    ]
    assert writer.write(state(hop=1, plan=PLAN), BARE) == ()
