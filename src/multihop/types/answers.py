"""What is made of evidence: an answer with the sentences that say it, a verdict with those that decide."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from multihop.types.chains import Chain, Quote
from multihop.types.corpus import Passage
from multihop.types.notes import Note
from multihop.types.plain import plain
from multihop.types.results import Result

Finding = Literal["supported", "contradicted", "undecided"]
"""What evidence says of a claim, or of a part of it."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence that answers, how likely that is, and the words in it that are the answer, where known."""

    quote: Quote
    title: str
    confidence: float
    """The probability that it holds the answer, or that it decides the claim or part as shown."""
    answer: Quote | None = None
    page: int | None = None
    """Its page, where the document has pages."""

    @classmethod
    def of(cls, quote: Quote, passage: Passage, confidence: float, answer: Quote | None = None) -> AnswerSentence:
        """Make it from a quote of a passage."""
        return cls(quote, passage.label, round(confidence, 4), answer, passage.page_at(quote.start))


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A part of a claim with its position, and the sentence that decides it or comes closest."""

    text: str
    start: int
    end: int
    finding: Finding
    sentence: AnswerSentence | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a language model with the quotes it cites; one without any is not supported."""

    text: str
    quotes: tuple[Quote, ...] = ()

    @property
    def supported(self) -> bool:
        return bool(self.quotes)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, the sentences that say it best first, the chain that leads there, and the evidence.

    Without an answer `text` is empty, and `sentences` has the closest sentence, if there is any. For a claim, `text` is
    what was found on all of it, and `parts` are what it states, one by one.
    """

    question: str
    text: str
    confidence: float
    """The probability that what is shown is right."""
    kind: str
    """What was asked for: a person, a place, a date, a number, yes or no, one of several, a name, a text, a claim."""
    sentences: tuple[AnswerSentence, ...]
    chain: Chain
    result: Result
    parts: tuple[ClaimPart, ...] = ()
    statements: tuple[Statement, ...] = ()
    """What a language model answered, statement by statement; empty where none did."""
    source: Literal["sentences", "language model"] = "sentences"
    notes: tuple[Note, ...] = ()

    @property
    def answered(self) -> bool:
        """False when nothing in the evidence answers the question, or decides the claim."""
        return self.text not in ("", "undecided")

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the answer into plain values, the whole result included."""
        row = plain(self, timing=timing)
        row["answered"] = self.answered
        row["result"] = self.result.to_dict(timing=timing)
        return row  # type: ignore[no-any-return]  # a dataclass always becomes a dict

    def to_json(self, *, timing: bool = True) -> str:
        """Serialize the answer; without timing, equal answers give equal bytes."""
        return json.dumps(self.to_dict(timing=timing), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the evidence supports or contradicts a claim, by which sentences, part by part, and that evidence."""

    claim: str
    label: Finding
    sentences: tuple[AnswerSentence, ...]
    """Those that decide; for an undecided claim, the closest one."""
    result: Result
    notes: tuple[Note, ...] = ()
    reasoning: str = ""
    """What a language model says led it to the verdict; nothing in it is checked."""
    confidence: float = 0.0
    """The probability that the label is right."""
    parts: tuple[ClaimPart, ...] = ()
    source: Literal["sentences", "language model"] = "sentences"

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the verdict into plain values, the whole result included."""
        row = plain(self, timing=timing)
        row["result"] = self.result.to_dict(timing=timing)
        return row  # type: ignore[no-any-return]  # a dataclass always becomes a dict

    def to_json(self, *, timing: bool = True) -> str:
        """Serialize the verdict."""
        return json.dumps(self.to_dict(timing=timing), ensure_ascii=False)
