"""Writers made for a language model, by their rules: none is configured here. With one: tests/lm/test_strategies.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import Engine
from multihop.parts.query_writers import FollowLinks
from multihop.parts.query_writers.lm import FollowEvidence, GapQueries, SubQueries
from multihop.protocols import Context, QueryWriter
from multihop.text import words
from multihop.types import Coverage, Plan, Query, Target, Walk

from ..making import BARE, chosen, met, state

PLAN = Plan(sub_questions=("Who drew the ship", "where was he born"), facts=("A fact.",), queries=("Larvik",))


def test_gap_queries_begin_with_all_sub_questions_or_as_documented_with_the_first() -> None:
    every = GapQueries(first=9).write(state(hop=0, plan=PLAN), BARE)
    assert [q.text for q in every] == ["Who?", "Who drew the ship", "where was he born", "Larvik"]
    documented = GapQueries(first=9, every=False).write(state(hop=0, plan=PLAN), BARE)
    assert [(q.text, q.limit) for q in documented] == [("Who drew the ship", 9), ("Larvik", 9)]


def test_gap_queries_search_a_question_once_that_has_no_parts() -> None:
    assert [q.text for q in GapQueries(every=False).write(state(hop=0), BARE)] == ["Who?"]


def test_documented_gap_queries_go_by_names_and_by_what_is_missing(sample: Engine) -> None:
    context = Context(sample.index())
    [fram] = context.index.passages.passages(["fram-ship#0"]).values()
    found = state(met("x")._replace(passage=fram), plan=PLAN, selection=chosen("fram-ship#0"))
    bridging = GapQueries(every=False, bridges=2).write(found, context)
    assert len(bridging) == 2
    assert all(q.purpose == f"bridging entity “{q.text}”" and q.text in fram.text.casefold() for q in bridging)
    missing = Coverage((Target("Oslo", "span", 0.0),))
    gaps = GapQueries(every=False).write(state(plan=PLAN, hop=2, coverage=missing), context)
    assert [q.text for q in gaps] == ["Oslo", "where was he born"]
    assert any(note.code == "lm-missing" for note in context.notes)


def test_sub_queries_share_the_depth() -> None:
    two = SubQueries(whole=False).write(state(hop=0, plan=Plan(queries=("a", "b"))), BARE)
    three = SubQueries(whole=False).write(state(hop=0, plan=Plan(queries=("a", "b", "c"))), BARE)
    assert ([q.limit for q in two], [q.limit for q in three]) == ([15] * 2, [12] * 3)
    assert [q.text for q in SubQueries().write(state(hop=0, plan=Plan(queries=("a", "b"))), BARE)] == ["Who?", "a", "b"]


def test_sub_queries_follow_links_where_they_are_told_to() -> None:
    found = state(met("Fram"), selection=chosen("Fram#0"))
    walks = [q for q in SubQueries().write(found, BARE) if isinstance(q, Walk)]
    assert [id for walk in walks for id, _ in walk.seeds] == ["Fram#0"]


@pytest.mark.parametrize(("writer", "hop"), [(SubQueries(whole=False, links=None), 1), (GapQueries(every=False), 4)])
def test_after_the_documented_hops_the_budget_is_filled(writer: QueryWriter, hop: int) -> None:
    found = state(met("Fram"), hop=hop, k=21, plan=PLAN)
    [query] = writer.write(found, BARE)
    assert isinstance(query, Query)
    assert (query.text, query.purpose, query.limit) == (" ".join(words(found.question)), "to fill the budget", 22)
    assert writer.write(replace(found, hop=hop + 1, tried=(query,)), BARE) == ()


def test_follow_evidence_is_its_rules_where_no_model_answers(sample: Engine) -> None:
    for hop in (0, 1, 2):
        now = state(met("Fram"), hop=hop, plan=PLAN, selection=chosen("Fram#0") if hop else chosen())
        context = Context(sample.index())
        assert list(FollowEvidence().write(now, context)) == list(FollowLinks().write(now, context))
        assert any(note.code == "lm-missing" for note in context.notes) == (hop == 1)
