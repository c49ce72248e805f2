"""Coverage of what the question names."""

from __future__ import annotations

from multihop.parts.assessors import EntityAssessor
from multihop.types import Candidate, Coverage, Entity, Plan, Target

from ..making import BARE, chosen, met, state

PLAN = Plan(
    entities=(
        Entity("Fram", "title", ("fram",)),
        Entity("Larvik", "span"),
        Entity("1911", "number"),
        Entity("?", "span"),
    )
)
NONE = Coverage()
FRAM = met("fram", "A ship.")
LARVIK = met("archer", "Born in Larvik, a town.")
MENTION = met("museum", "It shows the Fram.")


def assess(*found: Candidate, own: bool = False, before: Coverage = NONE, hop: int = 1) -> dict[str, Target]:
    held = chosen(*(f.passage.id for f in found))
    now = state(*found, plan=PLAN, selection=held, coverage=before, hop=hop)
    return {t.name: t for t in EntityAssessor(own).assess(now, BARE).targets}


def test_a_document_that_is_named_or_a_passage_that_says_the_name_covers_it() -> None:
    found = assess(FRAM, LARVIK)
    assert {name: t.covered_by for name, t in found.items()} == {
        "Fram": "fram#0",
        "Larvik": "archer#0",
        "1911": "",
        "?": "",
    }
    assert found["1911"].importance < found["Larvik"].importance


def test_a_mention_is_enough_unless_the_document_itself_is_wanted() -> None:
    assert assess(MENTION)["Fram"].covered_by == "museum#0"
    assert assess(MENTION, own=True)["Fram"].covered_by == ""


def test_the_hop_that_covered_it_first_is_kept_while_it_stays_covered() -> None:
    first = Coverage(tuple(assess(FRAM).values()))
    assert assess(FRAM, LARVIK, before=first, hop=3)["Fram"].hop == 1
    assert assess(FRAM, LARVIK, before=first, hop=3)["Larvik"].hop == 3
    assert assess(LARVIK, before=first, hop=3)["Fram"].hop == 0


def test_part_of_a_word_is_no_mention() -> None:
    assert assess(met("x", "Framing a picture in Larvikite."))["Larvik"].covered_by == ""
