from __future__ import annotations

import pytest

from multihop.answering.claim_evidence import evidence_for
from multihop.answering.contexts import only_plans
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Chain, Passage

TUGS = "The tug Puffin got a new winch. Was it handed over in May? It was handed over in June."


def test_questions_are_no_evidence() -> None:
    claim = QuestionWords("The tug Puffin was handed over.", {}, 10)
    reading = ReadPassage(Passage("a#0", "a", 0, "Projects", TUGS), claim, score=0.9)
    evidence = evidence_for(claim, [reading], Chain())
    assert evidence
    assert not any("?" in shown.text for shown in evidence)


@pytest.mark.parametrize(("title", "with_antecedent"), [("Handbook", True), ("Gannet Slip", False)])
def test_a_pronoun_is_read_with_the_sentence_before_it(title: str, with_antecedent: bool) -> None:
    claim = QuestionWords("Boats are lifted at Gannet Slip.", {}, 10)
    text = "Hulls are washed on weekdays only. It is done at Gannet Slip."
    evidence = evidence_for(claim, [ReadPassage(Passage("a#0", "a", 0, title, text), claim, score=0.9)], Chain())
    [shown] = [each for each in evidence if each.units[0].quote.text.startswith("It is done")][:1]
    assert shown.text == f"{title}: {text if with_antecedent else 'It is done at Gannet Slip.'}"
    assert shown.units[0].quote.text == "It is done at Gannet Slip."


def test_what_would_be_is_no_evidence_for_what_is() -> None:
    told = "The bridge stands at Nord Quay. If the bridge were to stand at Rope Quay, the county would buy the quay."
    for text, shown in (("The bridge stands at Rope Quay.", False), ("The county would buy Rope Quay.", True)):
        claim = QuestionWords(text, {}, 10)
        reading = ReadPassage(Passage("a#0", "a", 0, "Bridge", told), claim, score=0.9)
        evidence = evidence_for(claim, [reading], Chain())
        assert evidence
        assert any("were to stand" in each.text for each in evidence) is shown


def test_what_is_taken_back_is_no_evidence() -> None:
    told = (
        "We wrote that the bridge was built in 1871. The stone of the bridge says 1817. We apologize for the mistake."
    )
    claim = QuestionWords("The bridge was built in 1871.", {}, 10)
    for text, shown in ((told, False), (told.replace(" We apologize for the mistake.", ""), True)):
        reading = ReadPassage(Passage("a#0", "a", 0, "Bridge", text), claim, score=0.9)
        assert any("1871" in each.text for each in evidence_for(claim, [reading], Chain())) is shown


@pytest.mark.parametrize(
    ("unit", "claim", "plans"),
    [
        ("Plot 11 will be offered to Ada Holm, who has waited since 2020.", "Ada Holm accepted plot 11.", True),
        ("The board hopes to buy the quay.", "The board bought the quay.", True),
        ("The board hopes to buy the quay.", "The board plans to buy the quay.", False),
        ("Ada Holm put up the sail and would not take a penny, but was glad.", "Ada Holm put up the sail.", False),
        ("The rent goes up on 1 May, and the board will send letters.", "The rent goes up on 1 May.", False),
    ],
)
def test_a_plan_does_not_say_what_has_happened(unit: str, claim: str, plans: bool) -> None:
    assert only_plans(unit, claim) is plans
