"""Writers without a language model: ask once, or follow links and look for what is missing."""

from __future__ import annotations

from multihop.parts.query_writers import AskOnce, FollowLinks
from multihop.types import Coverage, Plan, Query, Target, Walk

from ..making import BARE, chosen, met, state

PLAN = Plan(sub_questions=("Who drew the ship", "where was he born"))
MISSING = Coverage(tuple(Target(name, "span", 0.0) for name in ("Larvik", "Oslo", "Bergen", "Tromsø")))


def test_ask_once_asks_the_question_and_no_more() -> None:
    assert AskOnce(depth=40).write(state(hop=0, k=3), BARE) == (Query("Who?", "the question as it is", 40),)
    assert AskOnce(depth=40).write(state(hop=0, k=50), BARE)[0].limit == 50, "a large budget needs as many candidates"
    assert AskOnce().write(state(hop=1), BARE) == ()


def test_follow_links_begins_with_the_question_and_its_clauses() -> None:
    whole, *parts = FollowLinks(part_depth=7).write(state(hop=0, plan=PLAN), BARE)
    assert whole == Query("Who?", "the question as it is", 50)
    asked = [(q.text, q.limit, q.part) for q in parts if isinstance(q, Query)]
    assert asked == [(text, 7, True) for text in PLAN.sub_questions]
    assert len(FollowLinks(clauses=False).write(state(hop=0, plan=PLAN), BARE)) == 1


def test_follow_links_starts_from_the_best_passages_each_by_its_worth() -> None:
    found = state(met("Fram"), met("Archer"), met("Oslo"), selection=chosen("Fram#0", "Archer#0", "Oslo#0"))
    [query] = FollowLinks(seeds=2).write(found, BARE)
    assert isinstance(query, Walk)
    assert query.seeds == (("Fram#0", 1.0), ("Archer#0", 0.9))
    assert query.purpose == "what “Fram”, “Archer” link to"


def test_follow_links_follows_no_passage_twice() -> None:
    first = state(met("Fram"), met("Archer"), selection=chosen("Fram#0"))
    tried = tuple(FollowLinks().write(first, BARE))
    later = state(met("Fram"), met("Archer"), selection=chosen("Archer#0", "Fram#0"), hop=2, tried=tried)
    [query] = FollowLinks().write(later, BARE)
    assert isinstance(query, Walk)
    assert [id for id, _ in query.seeds] == ["Archer#0"]
    done = state(met("Fram"), selection=chosen("Fram#0"), hop=2, tried=tried)
    assert FollowLinks().write(done, BARE) == ()


def test_follow_links_looks_for_what_is_missing_once() -> None:
    queries = FollowLinks(missing=2).write(state(coverage=MISSING), BARE)
    assert [q.text for q in queries] == ["Larvik", "Oslo"]
    again = FollowLinks(missing=2).write(state(coverage=MISSING, tried=tuple(queries)), BARE)
    assert [q.text for q in again] == ["Bergen", "Tromsø"]
