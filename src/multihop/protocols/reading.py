"""Models that read: one ranks passages, one finds the answer in them, one checks a claim against them.

Each has an `identity`, such as "endpoint:rerank-v3.5", which a trace names. Several threads may ask one at once. What
fails for a reason that may pass, or because something is not installed, raises a `ReadingError`; the engine then works
without the model and says so in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from multihop.types import Judgement, Pair, Reading


@runtime_checkable
class Reranker(Protocol):
    """Reads candidates beside the question and scores them; one score for each, in their order, larger is better."""

    @property
    def identity(self) -> str: ...

    @property
    def calibrated(self) -> bool:
        """True where a score is the probability that the candidate is evidence; otherwise any scale will do."""

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]: ...


@runtime_checkable
class Reader(Protocol):
    """Finds the answer to a question in texts: spans of them, yes or no, or that they do not say."""

    @property
    def identity(self) -> str: ...

    def read(self, question: str, contexts: Sequence[str]) -> Reading: ...


@runtime_checkable
class Verifier(Protocol):
    """Says for each text whether it supports a claim, contradicts it, or does neither."""

    @property
    def identity(self) -> str: ...

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]: ...
