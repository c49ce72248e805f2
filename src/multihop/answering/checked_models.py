"""A reader and a verifier of the caller, whose answers are checked: what cannot be used raises a `ReadingError`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from multihop.errors import ReadingError
from multihop.protocols import Reader, Verifier
from multihop.types import Judgement, Reading


@dataclass(frozen=True, slots=True)
class CheckedReader:
    """Checks that a reading has spans of its contexts, and probabilities."""

    reader: Reader

    @property
    def identity(self) -> str:
        return self.reader.identity

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        reading = self.reader.read(question, contexts)
        if not isinstance(reading, Reading):
            raise ReadingError(f"{self.identity} gave {reading!r:.60}; a reader gives a multihop.Reading")
        for span in reading.spans:
            inside = 0 <= span.context < len(contexts) and 0 <= span.start < span.end <= len(contexts[span.context])
            if not inside:
                raise ReadingError(f"{self.identity} gave {span}, which is no part of the {len(contexts)} contexts")
        _check_probabilities(
            self.identity, (*(s.probability for s in reading.spans), reading.yes, reading.no, reading.none)
        )
        return reading


@dataclass(frozen=True, slots=True)
class CheckedVerifier:
    """Checks that there is a judgement for each text, of probabilities."""

    verifier: Verifier

    @property
    def identity(self) -> str:
        return self.verifier.identity

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]:
        judgements = self.verifier.verify(claim, evidence)
        if not isinstance(judgements, Sequence) or not all(isinstance(each, Judgement) for each in judgements):
            raise ReadingError(
                f"{self.identity} gave {judgements!r:.60}; a verifier gives a list of multihop.Judgement"
            )
        if len(judgements) != len(evidence):
            raise ReadingError(f"{self.identity} gave {len(judgements)} judgements for {len(evidence)} texts")
        for each in judgements:
            _check_probabilities(self.identity, (each.supported, each.contradicted, each.neither))
        return judgements


def _check_probabilities(identity: str, chances: Iterable[float]) -> None:
    if wrong := [chance for chance in chances if not 0 <= chance <= 1]:
        raise ReadingError(f"{identity} gave the probability {wrong[0]:g}; it must lie between 0 and 1")
