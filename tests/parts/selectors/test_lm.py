"""Selectors that let a language model rank, where it does not answer; and what is made of an answer.

With a scripted model: tests/lm/test_strategies.py.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop.parts.selectors import LearnedFusion, TopScore
from multihop.parts.selectors.lm import JudgedLast, Listwise, repair_ranking
from multihop.protocols import Context
from multihop.types import Choice, Selection

from ..making import met, state

FOUND = state(*(met(f"p{i}", scores={"bm25": 9.0 - i}) for i in range(8)), k=3, hop=3)


@pytest.mark.parametrize("selector", [Listwise(TopScore("bm25"), at_hop=3), JudgedLast(LearnedFusion(), at_hop=1)])
def test_without_a_model_the_order_is_that_of_the_rules(selector: Listwise | JudgedLast) -> None:
    context = Context(None)  # type: ignore[arg-type]  # needs no index
    ranked = selector.select(FOUND, context)
    if isinstance(selector, JudgedLast):
        ranked = selector.finish(replace(FOUND, selection=ranked), context)
    assert [c.passage_id for c in ranked.choices] == ["p0#0", "p1#0", "p2#0"]
    assert ranked.replaced == ()
    assert any(note.code == "lm-missing" for note in context.notes)


def test_after_its_hop_what_is_held_stays_and_the_places_left_are_filled() -> None:
    held = replace(FOUND, selection=Selection((Choice("p5#0", 0.1, "held"),)))
    context = Context(None)  # type: ignore[arg-type]  # needs no index
    ranked = Listwise(TopScore("bm25"), at_hop=1).select(held, context)
    assert [c.passage_id for c in ranked.choices] == ["p5#0", "p0#0", "p1#0"]
    assert context.notes == []


@pytest.mark.parametrize("selector", [Listwise(at_hop=4), JudgedLast(LearnedFusion(), at_hop=4)])
def test_before_its_hop_no_model_is_asked(selector: Listwise | JudgedLast) -> None:
    context = Context(None)  # type: ignore[arg-type]  # needs no index
    assert selector.select(FOUND, context).choices
    assert context.notes == []


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ((3, 1), [3, 1, 2, 4]),
        ((9, -1, 2), [2, 1, 3, 4]),
        ((), [1, 2, 3, 4]),
        ((4, 3, 2, 1), [4, 3, 2, 1]),
        ((True, 2.0, "3", 4), [4, 1, 2, 3]),
    ],
)
def test_rankings_are_made_whole(given: tuple[int, ...], whole: list[int]) -> None:
    context = Context(None)  # type: ignore[arg-type]  # needs no index
    assert repair_ranking(given, 4, 2, context) == whole
