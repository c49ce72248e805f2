"""The contracts of models that read, kept by small ones that go by the words of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from multihop import text
from multihop.protocols import Reader, Reranker, Verifier
from multihop.testing.contracts import ReaderContract, RerankerContract, VerifierContract
from multihop.types import Judgement, Pair, Reading, Span

_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+")


def shared(asked: str, said: str) -> float:
    """Give the share of the words asked for that a text uses."""
    words = set(text.terms(asked))
    return len(words & set(text.terms(said))) / len(words) if words else 0.0


@dataclass(frozen=True)
class SharedWords:
    """A reranker by shared words."""

    calibrated: bool = False
    identity: str = "test:shared-words"

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        scale = 1 if self.calibrated else 7
        return [scale * shared(question, f"{passage} {link}") for passage, link in pairs]


@dataclass(frozen=True)
class Names:
    """A reader that takes the names which the question does not use, the earlier the better."""

    identity: str = "test:names"

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        places = [
            (number, at.start(), at.end())
            for number, context in enumerate(contexts)
            for at in _NAME.finditer(context)
            if at[0] not in question
        ]
        chances = [0.5 ** (rank + 1) for rank in range(len(places))]
        spans = tuple(Span(*place, chance) for place, chance in zip(places, chances, strict=True))
        return Reading(spans, none=1 - sum(chances))


@dataclass(frozen=True)
class Negations:
    """A verifier that finds a text with the words of the claim to support it, unless there is a "not"."""

    identity: str = "test:negations"

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]:
        return [self._judged(shared(claim, said), " not " in said) for said in evidence]

    @staticmethod
    def _judged(about: float, negated: bool) -> Judgement:
        return Judgement(0.0 if negated else about, about if negated else 0.0, 1 - about)


class TestSharedWords(RerankerContract):
    @pytest.fixture(params=[False, True])
    def reranker(self, request: pytest.FixtureRequest) -> Reranker:
        return SharedWords(request.param)


class TestNames(ReaderContract):
    @pytest.fixture
    def reader(self) -> Reader:
        return Names()


class TestNegations(VerifierContract):
    @pytest.fixture
    def verifier(self) -> Verifier:
        return Negations()


def test_a_span_is_cut_out_of_its_context() -> None:
    contexts = ["Tea is green.", "The Fram was drawn by Colin Archer."]
    span = Names().read("What is The Fram?", contexts).spans[0]
    assert contexts[span.context][span.start : span.end] == "Colin Archer"


def test_a_negation_contradicts() -> None:
    claim = "Colin Archer drew the Fram."
    yes, no, neither = Negations().verify(claim, [claim, "Colin Archer did not draw the Fram.", "Tea is green."])
    assert yes.supported == 1.0
    assert no.contradicted > 0.5
    assert neither.neither == 1.0
