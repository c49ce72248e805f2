"""Questions and answers with retrieved passages: as reading examples, and stated as claims."""

from __future__ import annotations

import random

import pytest
from contrast import Verdict
from retrieved import claims, pooled, state
from rows import Sources, decode, draw_claim, draw_question, pooled_claim, pooled_verdict

SHIP = "Fram: Fram is a ship that was used in expeditions of the Arctic. It was designed by Colin Archer."
ARCHER = "Colin Archer: Colin Archer was a naval architect who was born in Larvik in 1832."
OTHER = "Gjøa: Gjøa was the first vessel to transit the Northwest Passage. Roald Amundsen led the crew."
ROW = {"question": "Fram was designed by which man?", "answer": "Colin Archer", "documents": [SHIP, OTHER, ARCHER]}


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Who designed the Fram?", "Colin Archer", "Colin Archer designed the Fram."),
        (
            "Colin Archer, who designed the Fram, was born in what town?",
            "Larvik",
            "Colin Archer, who designed the Fram, was born in Larvik.",
        ),
        ("The Fram was drawn by who?", "Colin Archer", "The Fram was drawn by Colin Archer."),
        ("The crew of the Fram had how many members?", "13", "The crew of the Fram had 13 members."),
        ("It carried Amundsen, what was its name?", "Fram", None),
        ("Is the Fram a ship?", "yes", None),
    ],
)
def test_a_question_and_its_answer_are_stated(question: str, answer: str, claim: str | None) -> None:
    assert state(question, answer) == claim


def test_passages_that_hold_the_answer_are_gold() -> None:
    found = pooled(ROW)
    assert found is not None
    assert [gold for _, gold in found.documents] == [True, False, True]


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "answer": "Fridtjof Nansen"},
        {**ROW, "documents": [SHIP, ARCHER, SHIP, ARCHER]},  # an answer that many hold is there by chance
        {**ROW, "question": "Where was the director of film Fram born?"},
        {**ROW, "question": "Are the Maud and the Belgica both ships?", "answer": "yes"},
    ],
)
def test_questions_without_passages_are_left_out(row: dict[str, object]) -> None:
    assert pooled(row) is None


def test_yes_and_no_need_both_sides() -> None:
    found = pooled({**ROW, "question": "Are the Fram and the Gjøa both ships?", "answer": "Yes"})
    assert found is not None
    assert (found.answer, [gold for _, gold in found.documents]) == ("yes", [False, False, False])


def test_claims_are_true_with_the_answer_and_false_with_another() -> None:
    rows = [ROW, {**ROW, "question": "Who led the crew of the Gjøa?", "answer": "Roald Amundsen"}]
    made = [(decode(claim.question.tolist()), claim.label) for claim in claims(rows, random.Random(3))]
    assert ("fram was designed by colin archer .", "SUPPORTED") in made
    false = [text for text, label in made if label == "REFUTED"]
    assert false
    assert not [text for text in false if "designed by colin archer" in text or text.startswith("roald amundsen led")]


def test_a_claim_whose_answer_is_not_shown_is_undecided() -> None:
    [claim, *_] = claims([{**ROW, "documents": [OTHER, SHIP]}], random.Random(3))
    rows = [pooled_claim(claim, count) for count in (1, 2)]
    assert [pooled_verdict(claim, row) for row in rows] == [Verdict.NEITHER, Verdict.SUPPORTED]


def test_they_are_drawn_for_training() -> None:
    from reading_examples import Examples

    question = pooled(ROW)
    assert question is not None
    sources = Sources(Examples(), retrieved=[question], stated=list(claims([ROW], random.Random(3))))
    row, kind = draw_question(sources, random.Random(1))
    assert kind.name in ("SPAN", "NONE")
    assert "fram was designed by" in decode(row.ids)
    assert "fram was designed by" in decode(draw_claim(sources, random.Random(1))[0].ids)
