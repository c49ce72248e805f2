"""What a survey gives: for every group and question the passages that answer it, in the documented shape."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multihop.survey.findings import NOT_FOUND, Finding, ValueSource
from multihop.types import Evidence, Metadata

VECTOR = "vector_similarity"
HOP = "hop_retrieval"
READING = "reading"
METHODS = (VECTOR, HOP, READING)
FIELDS = {
    "combined_score": "combined",
    "transformer_similarity": "transformer",
    "word2vec_similarity": "word2vec",
    "regex_score": "patterns",
    "fuzzy_score": "fuzzy",
}
"""The documented name of every score, and the channel it comes from."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of an answer with its scores; a score is None when its signal was absent."""

    id: str
    content: str
    combined_score: float
    transformer_similarity: float | None = None
    word2vec_similarity: float | None = None
    regex_score: float | None = None
    fuzzy_score: float | None = None
    rank: int = 0
    document: str = ""
    title: str = ""
    heading: str = ""
    hop: int = 1
    reason: str = ""
    page: int | None = None
    """The page of the file that the passage begins on, where it has pages."""
    hop_score: float | None = None
    """What traversal ranked it by, on a scale of its own."""

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """One question asked of one group by one method."""

    number: int
    question: str
    chunks: tuple[Chunk, ...]
    label: str = ""
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The values that answer the question, the first one before the others; empty where none was found."""

    @property
    def value(self) -> str:
        """What answers the question, or "not found"."""
        return self.findings[0].text if self.findings else NOT_FOUND

    def to_dict(self) -> dict[str, Any]:
        return {
            "question_number": self.number,
            "question": self.question,
            "label": self.label,
            "value": self.value,
            "findings": [f.to_dict() for f in self.findings],
            "chunk_count": len(self.chunks),
            "top_k_chunks": [c.to_dict() for c in self.chunks],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """All answers for one group (a country, say) by one method."""

    group: str
    field: str
    method: str
    timestamp: str
    answers: tuple[SurveyAnswer, ...]
    profile: str = ""
    fingerprint: str = ""
    """Answers can be taken over from an earlier run when this is the same: profile, index, models and settings."""

    def answer(self, number: int) -> SurveyAnswer | None:
        return next((a for a in self.answers if a.number == number), None)

    def to_dict(self) -> dict[str, Any]:
        return {
            "metadata": {
                self.field: self.group,
                "timestamp": self.timestamp,
                "total_questions": len(self.answers),
                "retrieval_method": self.method,
                "profile": self.profile,
                "fingerprint": self.fingerprint,
            },
            "questions": {f"question_{a.number}": a.to_dict() for a in self.answers},
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Survey:
    """A whole survey: every group by every method."""

    profile: str
    field: str
    questions: Mapping[int, str]
    """The number of every question asked, and its label."""
    groups: tuple[GroupAnswers, ...]
    notes: tuple[str, ...] = ()
    resumed: int = 0
    """How many answers were there already from an earlier run."""
    seconds: float = dataclasses.field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "profile": self.profile,
            "group": self.field,
            "questions": {str(n): label for n, label in self.questions.items()},
            "results": [g.to_dict() for g in self.groups],
            "notes": list(self.notes),
            "resumed": self.resumed,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)


def chunk_of(evidence: Evidence, signals: Mapping[str, float] | None = None) -> Chunk:
    """Write a passage of a result as a chunk; of one that was found another way, the signals are given."""
    passage = evidence.passage
    scores = evidence.scores if signals is None else signals
    # Rounded here, so that answers read back from a file equal new ones.
    named = {name: round(scores[channel], 6) for name, channel in FIELDS.items() if channel in scores}
    # Without given signals the score of the evidence is the combined one, and there is nothing of its own.
    own = None if signals is None else round(evidence.score, 6)
    return Chunk(
        id=passage.id, content=passage.text, **{"combined_score": 0.0, **named}, rank=evidence.rank,
        document=passage.document_id, title=passage.title, heading=passage.heading, hop=evidence.hop,
        reason=evidence.reason, page=passage.page, hop_score=own,
    )  # fmt: skip


def light(answers: GroupAnswers) -> GroupAnswers:
    """Leave out the passages of answers: their number and the scores of the first are kept, for tables of values."""

    def without(answer: SurveyAnswer) -> SurveyAnswer:
        first = tuple(dataclasses.replace(c, content="", reason="") for c in answer.chunks[:1])
        # One and the same for each, so that many cost no more than one.
        return dataclasses.replace(answer, chunks=first * len(answer.chunks))

    return dataclasses.replace(answers, answers=tuple(map(without, answers.answers)))


def source_of(chunk: Chunk, metadata: Metadata) -> ValueSource:
    """Return a chunk as something that values are found in, with what the metadata of its document say."""
    date, url = (str(metadata.get(field, "")) for field in ("date", "url"))
    return ValueSource(
        chunk.id, chunk.content, chunk.combined_score, chunk.document, chunk.title, date, url, chunk.page
    )


def from_dict(values: Mapping[str, Any], field: str) -> GroupAnswers:
    """Read back what `GroupAnswers.to_dict` gave; raises KeyError, TypeError or ValueError for anything else."""
    metadata = values["metadata"]
    answers = tuple(
        SurveyAnswer(
            int(a["question_number"]),
            str(a["question"]),
            tuple(Chunk(**c) for c in a["top_k_chunks"]),
            str(a["label"]),
            tuple(a["notes"]),
            tuple(Finding(**f) for f in a["findings"]),
        )
        for a in values["questions"].values()
    )
    return GroupAnswers(
        str(metadata[field]), field, str(metadata["retrieval_method"]), str(metadata["timestamp"]), answers,
        str(metadata["profile"]), str(metadata["fingerprint"]),
    )  # fmt: skip
