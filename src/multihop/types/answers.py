"""What is made of evidence: an answer with the sentences that say it, a verdict with those that decide."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from multihop.types.chains import Chain, Quote
from multihop.types.notes import Note
from multihop.types.plain import plain
from multihop.types.results import Result


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence that answers, how likely that is, and the words in it that are the answer, where known."""

    quote: Quote
    title: str
    confidence: float
    """Of the sentences with .8, about four in five hold the answer; for a part of a claim, how much of it is said."""
    answer: Quote | None = None


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A part of a claim, where it stands in it, and the sentence that supports or contradicts it."""

    text: str
    start: int
    end: int
    finding: Literal["supported", "contradicted", "nothing found"]
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

    Without an answer `text` is empty and there are no sentences: nothing in the evidence answers the question. For a
    claim, `parts` are what it states, one by one.
    """

    question: str
    text: str
    confidence: float
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
        """False when nothing in the evidence answers the question."""
        return bool(self.text or self.sentences or any(p.sentence for p in self.parts))

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the answer into plain values, the whole result included."""
        row = plain(self, timing=timing)
        row["answered"] = self.answered
        row["result"] = self.result.to_dict(timing=timing)
        return row  # type: ignore[no-any-return]  # a dataclass always becomes a dict

    def to_json(self, *, timing: bool = True) -> str:
        """Serialize the answer; without timing, equal answers give equal bytes."""
        return json.dumps(self.to_dict(timing=timing), ensure_ascii=False)
