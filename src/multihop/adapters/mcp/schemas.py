"""Responses of the tools: structured values with a schema; `str` formats most of them as text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


# Docstrings and descriptions are part of the schemas, which cost tokens in every conversation: only describe what a
# name does not say.
class _OfIndex(BaseModel):
    index: str


class EvidenceItem(BaseModel):
    """One passage of the evidence."""

    rank: int
    passage: str = Field(description="id of the passage")
    document: str = Field(description="id of its document")
    title: str
    heading: str
    page: int | None = Field(description="its page, where the document has pages")
    text: str
    cut: bool = Field(description="true when the text goes on; fetch_document with the id of the passage has the rest")
    score: float
    hop: int = Field(description="the hop that found it")
    reason: str = Field(description="why it is there")
    part: str = Field(description="chain, supporting, or filling")

    def __str__(self) -> str:
        heading = f" › {self.heading}" if self.heading else ""
        rest = f"\n(cut here; fetch_document {self.passage} reads on)" if self.cut else ""
        page = f", p. {self.page}" if self.page else ""
        name = f"{self.title or self.document}{heading}{page} ({self.passage})"
        return f"[{self.rank}] {name}\n{self.reason}\n{self.text}{rest}"


class EvidenceAnswer(_OfIndex):
    """Passages that together answer a question, and what they cover."""

    question: str
    strategy: str
    evidence: list[EvidenceItem]
    chain: list[str] = Field(description="how passages lead from the question to each other, by which sentence")
    covered: list[str] = Field(description="what the question names and a passage covers")
    missing: list[str] = Field(description="what the question names and no passage covers")
    notes: list[str]

    def __str__(self) -> str:
        lines = [str(e) for e in self.evidence] or ["No passage was found."]
        lines += ["\n".join(("Chain:", *self.chain))] if self.chain else []
        return "\n\n".join([*lines, *_labeled("Not covered", self.missing), *_labeled("Note", self.notes)])


class SaidSentence(BaseModel):
    """A sentence that answers, and where it stands."""

    sentence: str
    passage: str
    start: int
    end: int
    confidence: float = Field(description="the probability that it is right")
    page: int | None = Field(description="where there are pages")
    answer: str = Field(description="the words in it that are the answer")

    def __str__(self) -> str:
        return f"{self.sentence} ({self.passage}, confidence {self.confidence:.2f})"


class PartFinding(BaseModel):
    """A part of a claim and its nearest sentence."""

    part: str
    finding: str = Field(description="supported, contradicted or undecided")
    sentence: SaidSentence | None

    def __str__(self) -> str:
        return f"{self.part}: {self.finding}" + (f": {self.sentence}" if self.sentence else "")


class QuestionAnswer(_OfIndex):
    """The answer to a question, the sentences that say it, and the chain that leads there."""

    question: str
    answer: str = Field(description="empty when not sure")
    confidence: float
    kind: str
    sentences: list[SaidSentence]
    parts: list[PartFinding] = Field(description="for a claim, what it states")
    chain: list[str]
    notes: list[str]

    def __str__(self) -> str:
        said = [str(p) for p in self.parts] or [str(s) for s in self.sentences]
        head = [self.answer] if self.answer else []
        chain = ["Chain:", *self.chain] if self.chain else []
        return "\n".join([*head, *said, *chain, *_labeled("Note", self.notes)])


class ClaimVerdict(_OfIndex):
    """Whether the evidence supports or contradicts a claim, and the sentences that decide."""

    claim: str
    verdict: str = Field(description="supported, contradicted or undecided")
    confidence: float
    reasoning: str = Field(description="of a language model")
    sentences: list[SaidSentence] = Field(description="for an undecided claim, the closest one")
    parts: list[PartFinding]
    notes: list[str]

    def __str__(self) -> str:
        said = [*map(str, self.sentences), *map(str, self.parts)]
        return "\n".join([self.verdict, *said, *_labeled("Note", self.notes)])


class SearchHit(BaseModel):
    """One passage that matches a search."""

    rank: int
    passage: str
    document: str
    title: str
    snippet: str
    score: float

    def __str__(self) -> str:
        return f"[{self.rank}] {self.title or self.document} ({self.passage}): {self.snippet}"


class SearchAnswer(_OfIndex):
    """Passages that match a search, best first."""

    query: str
    hits: list[SearchHit]

    def __str__(self) -> str:
        return "\n".join(map(str, self.hits)) or "No passage was found."


class DocumentAnswer(_OfIndex):
    """A document, or the part of a long one that was asked for."""

    id: str
    title: str
    metadata: dict[str, Any]
    text: str
    start: int = Field(description="where in the document the text begins, in characters")
    length: int = Field(description="characters of the whole document")
    next_start: int | None = Field(description="where to go on reading; null at the end")

    def __str__(self) -> str:
        about = "".join(f"\n{field}: {value}" for field, value in self.metadata.items())
        rest = "" if self.next_start is None else f"\n\n(goes on at start={self.next_start}, of {self.length})"
        return f"{self.title or self.id} ({self.id}){about}\n\n{self.text}{rest}"


class QueryStep(BaseModel):
    """One query of a hop."""

    text: str
    purpose: str
    found: dict[str, int] = Field(description="passages by channel")
    new: int


class HopStep(BaseModel):
    """One hop: what was asked, and how the evidence changed."""

    number: int
    queries: list[QueryStep]
    entered: list[str]
    left: list[str]
    replaced: list[str]
    coverage: float = Field(description="share of what is to be covered that is, after the hop")
    decision: str


class PassageStory(BaseModel):
    """How one passage fared in the result."""

    id: str
    rank: int | None = Field(description="its place in the evidence; null when it is not in it")
    reason: str
    scores: dict[str, float]
    entered_at_hop: int | None
    left_at_hop: int | None

    def __str__(self) -> str:
        place = f"is number {self.rank}: {self.reason}" if self.rank else f"is not in the evidence: {self.reason}"
        scores = ", ".join(f"{channel} {score:g}" for channel, score in self.scores.items())
        return f"{self.id} {place}" + (f" ({scores})" if scores else "")


class ExplanationAnswer(_OfIndex):
    """How a result came about: the plan, every hop, and why it ended."""

    question: str
    strategy: str
    entities: list[str]
    sub_questions: list[str]
    aspects: list[str]
    hops: list[HopStep]
    evidence: list[str] = Field(description="ids of the passages of the result, best first")
    missing: list[str]
    notes: list[str]
    passage: PassageStory | None


class IndexFacts(BaseModel):
    """One index: its size, and the fields a filter may use."""

    name: str
    documents: int
    passages: int
    fields: dict[str, int] = Field(description="metadata fields, with the number of different values")
    embedder: str | None

    def __str__(self) -> str:
        fields = ", ".join(f"{field} ({count} values)" for field, count in self.fields.items())
        size = f"{self.documents} documents, {self.passages} passages"
        vectors = f"vectors of {self.embedder}" if self.embedder else "no vectors"
        return f"{self.name}: {size}, {vectors}; fields: {fields or 'none'}"


class IndexesAnswer(BaseModel):
    """The indexes of this server and the strategies it knows."""

    indexes: list[IndexFacts]
    strategies: dict[str, str]
    language_model: str | None = Field(description="the model that helps with questions, where there is one")

    def __str__(self) -> str:
        return "\n".join([*map(str, self.indexes), *(f"strategy {n}: {d}" for n, d in self.strategies.items())])


class ValueCount(BaseModel):
    """A value and the documents that have it."""

    value: str | int | float
    documents: int


class ValuesAnswer(_OfIndex):
    """The values of a metadata field, the most frequent first."""

    field: str
    values: list[ValueCount]
    more: bool = Field(description="true when there are others")

    def __str__(self) -> str:
        lines = [f"{each.value} ({each.documents})" for each in self.values]
        return "\n".join([f"{self.field}:", *lines, *(["and others"] if self.more else [])])


def _labeled(label: str, lines: list[str]) -> list[str]:
    return [f"{label}: {'; '.join(lines)}"] if lines else []
