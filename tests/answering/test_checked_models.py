"""A reader or verifier of one's own that gives something else than was asked for: the answer goes on without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from multihop import Engine, Judgement, Reading, Span

CLAIM = "Colin Archer came into the world in Larvik in 1832."
QUESTION = "When was Colin Archer born?"


@dataclass(frozen=True)
class Own:
    """Reads and verifies by a function of the texts."""

    gives: Callable[[Sequence[str]], Any]
    identity: str = "mine:model"

    def read(self, question: str, contexts: Sequence[str]) -> Any:
        return self.gives(contexts)

    def verify(self, claim: str, evidence: Sequence[str]) -> Any:
        return self.gives(evidence)


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        (lambda texts: None, "gave None; a reader gives a multihop.Reading"),
        (lambda texts: Reading((Span(len(texts), 0, 4, 0.5),)), "which is no part of the"),
        (lambda texts: Reading((Span(0, 0, 100_000, 0.5),)), "which is no part of the"),
        (lambda texts: Reading((Span(0, 4, 4, 0.5),)), "which is no part of the"),
        (lambda texts: Reading((Span(0, 0, 4, 50),)), "gave the probability 50; it must lie between 0 and 1"),
        (lambda texts: Reading(none=float("nan")), "gave the probability nan"),
    ],
)
def test_a_reading_that_cannot_be_used_is_a_failure(sample: Engine, gives: Any, said: str) -> None:
    answer = Engine(sample.store, reader=Own(gives)).answer(QUESTION, k=3)
    assert answer.text == ""
    [note] = [note for note in answer.notes if note.code == "reader-failed"]
    assert said in note.text


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        (lambda texts: None, "gave None; a verifier gives a list of multihop.Judgement"),
        (lambda texts: [(0.9, 0.1, 0.0)] * len(texts), "a verifier gives a list of multihop.Judgement"),
        (lambda texts: [Judgement(1, 0, 0)], "gave 1 judgements for"),
        (lambda texts: [Judgement(2, 0, -1)] * len(texts), "gave the probability 2"),
    ],
)
def test_judgements_that_cannot_be_used_are_a_failure(sample: Engine, gives: Any, said: str) -> None:
    verdict = Engine(sample.store, verifier=Own(gives)).verdict(CLAIM, k=3)
    assert verdict.label == "undecided"
    [note] = [note for note in verdict.notes if note.code == "verifier-failed"]
    assert said in note.text


def test_values_that_can_be_used_pass(sample: Engine) -> None:
    def find(texts: Sequence[str]) -> Reading:
        return Reading(
            tuple(Span(n, t.index("1832"), t.index("1832") + 4, 0.9) for n, t in enumerate(texts) if "1832" in t)
        )

    engine = Engine(sample.store, reader=Own(find), verifier=Own(lambda texts: [Judgement(1, 0, 0)] * len(texts)))
    assert engine.answer(QUESTION, k=3).text == "1832"
    assert engine.verdict(CLAIM, k=3).label == "supported"
    assert engine.reader is not None
    assert engine.reader.identity == "mine:model"
