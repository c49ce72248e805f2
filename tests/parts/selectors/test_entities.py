"""Ranking by entities of the question and of what gap analysis said."""

from __future__ import annotations

from dataclasses import replace

from multihop.parts.selectors.entities import EntityCount, EntityMatch
from multihop.protocols import GAPS, Selector, State
from multihop.types import Candidate, Entity, Passage, Plan

from ..making import BARE


def pool(*titled: tuple[str, str]) -> dict[str, Candidate]:
    return {
        f"{i}#0": Candidate(Passage(f"{i}#0", str(i), 0, title, body), {"bm25": 10.0 - i}, 1)
        for i, (title, body) in enumerate(titled)
    }


def asked(state: State, selector: Selector, *gaps: str) -> list[str]:
    found = selector.select(replace(state, learned={GAPS: gaps}), BARE)
    return [c.passage_id for c in found.choices]


def test_a_title_that_was_looked_for_counts_more_than_a_mention() -> None:
    found = pool(("Oslo", "A city."), ("Ship", "Drawn by Colin Archer."), ("Colin Archer", "An architect."))
    state = State("Who drew it?", 3, Plan(), hop=1, pool=found)
    assert asked(state, EntityMatch()) == ["0#0", "1#0", "2#0"]
    assert asked(state, EntityMatch(gap=2.0), "Who was Colin Archer?") == ["2#0", "1#0", "0#0"]


def test_a_name_that_few_passages_use_counts_more() -> None:
    rows = [(f"T{i}", "Norway is here.") for i in range(6)]
    found = pool(*rows, ("Last", "Larvik is here."))
    state = State("x", 7, Plan(), hop=1, pool=found)
    ranked = asked(state, EntityMatch(gap=20.0), "Norway", "Larvik")
    assert ranked[0] == "6#0"


def test_what_the_question_names_is_no_gap() -> None:
    found = pool(("Oslo", "A city."), ("Larvik", "A town."))
    state = State("x", 2, Plan(entities=(Entity("Larvik", "title"),)), hop=1, pool=found)
    assert asked(state, EntityMatch(gap=5.0), "Larvik") == ["0#0", "1#0"]


def test_deep_passages_come_up_by_their_very_title() -> None:
    found = pool(*((f"T{i}", "nothing") for i in range(30)), ("Colin Archer", "An architect."))
    state = State("x", 5, Plan(), hop=1, pool=found)
    assert "30#0" in asked(state, EntityMatch(gap=20.0, looked_at=5), "Colin Archer")


def test_entities_count_as_documented() -> None:
    found = pool(
        ("Partner visa", "A visa for partners who played in doubles."),
        ("Ship", "Built in Larvik for Lisa Raymond."),
        ("Lisa Raymond", "She played doubles."),
        ("Other", "Nothing at all."),
    )
    claim = "The partner of Lisa Raymond played doubles"
    state = State(claim, 4, Plan(facts=("born in Larvik",), queries=("Larvik",)), hop=1, pool=found)
    selection = EntityCount().select(state, BARE)
    # One of both kinds and the bonus, one entity; words alone and titles count for nothing more.
    assert [(c.passage_id, c.score) for c in selection.choices] == [
        ("1#0", 3.0), ("2#0", 1.0), ("0#0", 0.0), ("3#0", 0.0),
    ]  # fmt: skip
    assert selection.choices[0].reason == "names 1 entities of the claim and 1 of the gap analysis"


def test_equal_counts_are_ordered_by_the_searches() -> None:
    found = pool(("B", "x"), ("A", "x"))
    better = {**found, "0#0": found["0#0"]._replace(scores={"bm25": 1.0})}
    assert asked(State("x", 2, Plan(), hop=1, pool=found), EntityCount()) == ["0#0", "1#0"]
    assert asked(State("x", 2, Plan(), hop=1, pool=better), EntityCount()) == ["1#0", "0#0"]


def test_one_passage_of_each_title_comes_first() -> None:
    found = pool(("A", "Oslo one"), ("A", "Oslo two"), ("B", "nothing"))
    state = State("in Oslo", 2, Plan(), hop=1, pool=found)
    assert asked(state, EntityCount()) == ["0#0", "2#0"]
