"""A reader and a verifier that say what a test tells them to, and remember what they were shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from multihop.errors import ReadingError
from multihop.types import Judgement, Reading, Span


@dataclass
class ScriptedReader:
    """Finds the given words, with the given probabilities, wherever they stand first; by question, "" for any other.

    The words "yes", "no" and "none" stand for these outcomes.
    """

    script: Mapping[str, Mapping[str, float]]
    identity: str = "scripted:reader"
    shown: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        self.shown.append((question, contexts))
        said = dict(self.script.get(question, self.script.get("", {})))
        outcomes = {name: said.pop(name, 0.0) for name in ("yes", "no", "none")}
        spans = [
            Span(place, at, at + len(words), probability)
            for words, probability in said.items()
            for place, context in enumerate(contexts)
            if (at := context.find(words)) >= 0
        ]
        return Reading(tuple(sorted(spans, key=lambda span: -span.probability)), **outcomes)


@dataclass
class ScriptedVerifier:
    """Judges by a function of claim and evidence; without one, nothing says anything about any claim."""

    judge: Callable[[str, str], Judgement] = lambda claim, text: Judgement(0.02, 0.02, 0.96)
    identity: str = "scripted:verifier"
    shown: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]:
        self.shown.append((claim, evidence))
        return [self.judge(claim, text) for text in evidence]


@dataclass
class Failing:
    """Fails at whatever it is asked."""

    identity: str = "scripted:failing"

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        raise ReadingError("it was told to fail")

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]:
        raise ReadingError("it was told to fail")
