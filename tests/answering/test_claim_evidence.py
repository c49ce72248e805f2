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
