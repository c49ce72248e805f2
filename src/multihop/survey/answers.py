"""The answers of a survey: for every group and question its values and passages, in the documented format."""

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
    """The page on which the passage begins, if the file has pages."""
    hop_score: float | None = None
    """The score of traversal, on its own scale."""

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
    """The values that answer the question, best first; empty if there are none."""

    @property
    def value(self) -> str:
        """The answer, or "not found"."""
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
    """Digest of profile, index, models and settings; answers of an earlier run are reused if it is the same."""

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
    """Labels of the questions, by number."""
    groups: tuple[GroupAnswers, ...]
    notes: tuple[str, ...] = ()
    resumed: int = 0
    """Number of answers reused from an earlier run."""
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
    """Convert evidence to a chunk; `signals` are its four scores if traversal found it."""
    passage = evidence.passage
    scores = evidence.scores if signals is None else signals
    # Rounded here, so that answers loaded from a file equal new ones.
    named = {name: round(scores[channel], 6) for name, channel in FIELDS.items() if channel in scores}
    # Without `signals`, the score of the evidence is the combined score.
    own = None if signals is None else round(evidence.score, 6)
    return Chunk(
        id=passage.id, content=passage.text, **{"combined_score": 0.0, **named}, rank=evidence.rank,
        document=passage.document_id, title=passage.title, heading=passage.heading, hop=evidence.hop,
        reason=evidence.reason, page=passage.page, hop_score=own,
    )  # fmt: skip


def without_passages(answers: GroupAnswers) -> GroupAnswers:
    """Drop the passages of answers except for their number and the scores of the first, for tables of values."""

    def without(answer: SurveyAnswer) -> SurveyAnswer:
        first = tuple(dataclasses.replace(c, content="", reason="") for c in answer.chunks[:1])
        # One shared object, to save memory.
        return dataclasses.replace(answer, chunks=first * len(answer.chunks))

    return dataclasses.replace(answers, answers=tuple(map(without, answers.answers)))


def source_of(chunk: Chunk, metadata: Metadata) -> ValueSource:
    """Return a chunk as a source of values, with date and URL from the metadata of its document."""
    date, url = (str(metadata.get(field, "")) for field in ("date", "url"))
    return ValueSource(
        chunk.id, chunk.content, chunk.combined_score, chunk.document, chunk.title, date, url, chunk.page
    )


def from_dict(values: Mapping[str, Any], field: str) -> GroupAnswers:
    """Load the result of `GroupAnswers.to_dict`; raises KeyError, TypeError or ValueError for anything else."""
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
