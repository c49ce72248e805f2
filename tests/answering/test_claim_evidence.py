from __future__ import annotations

from multihop.answering.claim_evidence import evidence_for
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Chain, Passage

TUGS = "The tug Puffin got a new winch. Was it handed over in May? It was handed over in June."


def test_questions_are_no_evidence() -> None:
    claim = QuestionWords("The tug Puffin was handed over.", {}, 10)
    reading = ReadPassage(Passage("a#0", "a", 0, "Projects", TUGS), claim, score=0.9)
    evidence = evidence_for(claim, [reading], Chain())
    assert evidence
    assert not any("?" in shown.text for shown in evidence)


def test_what_would_be_is_no_evidence_for_what_is() -> None:
    told = "The bridge stands at Nord Quay. If the bridge were to stand at Rope Quay, the county would buy the quay."
    for text, shown in (("The bridge stands at Rope Quay.", False), ("The county would buy Rope Quay.", True)):
        claim = QuestionWords(text, {}, 10)
        reading = ReadPassage(Passage("a#0", "a", 0, "Bridge", told), claim, score=0.9)
        evidence = evidence_for(claim, [reading], Chain())
        assert evidence
        assert any("were to stand" in each.text for each in evidence) is shown
