"""A budget that changes only for a stated reason."""

from __future__ import annotations

from multihop.parts.assessors import EntityAssessor
from multihop.parts.selectors import Appending, TopScore
from multihop.types import Candidate, Entity, Plan, Selection

from ..making import BARE, chosen, met, state

PLAN = Plan(entities=(Entity("Larvik", "span"),))
WEAK = met("weak", scores={"bm25": 1.0})
STRONG = met("strong", scores={"bm25": 9.0})
OTHER = met("other", scores={"bm25": 5.0})
LARVIK = met("town", "He was born in Larvik.", {"bm25": 0.5})


def select(k: int, *found: Candidate, held: Selection, margin: float | None = None) -> Selection:
    selector = Appending(TopScore("bm25"), EntityAssessor(), margin=margin)
    return selector.select(state(*found, k=k, plan=PLAN, selection=held), BARE)


def ids(selection: Selection) -> list[str]:
    return [c.passage_id for c in selection.choices]


def test_what_is_held_stays_and_the_best_of_the_rest_is_appended() -> None:
    assert ids(select(2, WEAK, OTHER, STRONG, held=chosen("weak#0"))) == ["strong#0", "weak#0"]


def test_a_full_budget_stays_as_it_is_without_a_reason() -> None:
    selection = select(1, WEAK, STRONG, held=chosen("weak#0"))
    assert (ids(selection), selection.replaced) == (["weak#0"], ())


def test_what_covers_something_missing_takes_the_place_of_the_weakest() -> None:
    selection = select(2, WEAK, STRONG, LARVIK, held=chosen("strong#0", "weak#0"))
    assert ids(selection) == ["strong#0", "town#0"]
    [replaced] = selection.replaced
    assert (replaced.out, replaced.into) == ("weak#0", "town#0")
    assert replaced.reason == "it covers “Larvik”, the other covers nothing alone"


def test_what_alone_covers_something_never_goes() -> None:
    selection = select(1, LARVIK, STRONG, held=chosen("town#0"), margin=0.1)
    assert ids(selection) == ["town#0"]


def test_with_a_margin_what_ranks_much_higher_comes_in() -> None:
    assert ids(select(1, WEAK, STRONG, held=chosen("weak#0"), margin=2.0)) == ["strong#0"]
    assert ids(select(1, OTHER, STRONG, held=chosen("other#0"), margin=4.0)) == ["other#0"]
