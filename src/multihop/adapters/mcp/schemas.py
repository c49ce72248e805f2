"""Responses of the tools: structured values with a schema; `str` formats most of them as text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from multihop.rendering.phrases import pluralize

_NOT_SURE = "Not sure. The closest sentence is:"


# Docstrings and descriptions are part of the schemas, which cost tokens in every conversation: only describe what a
# name does not say.
class _OfIndex(BaseModel):
    index: str


class EvidenceItem(BaseModel):
    """One passage; what has no description comes with full=true."""

    passage: str = Field(description="its id")
    title: str = Field(description="with heading and page")
    text: str = Field(description="where sentences are left out, read has the rest")
    document: str | None = None
    cut: bool | None = None
    score: float | None = None
    hop: int | None = None
    reason: str | None = None
    part: str | None = None

    def __str__(self) -> str:
        reason = f"\n{self.reason}\n" if self.reason else " "
        rest = f"\n(cut here; read {self.passage} goes on)" if self.cut else ""
        return f"[{self.passage}] {self.title}:{reason}{self.text}{rest}"


class EvidenceAnswer(_OfIndex):
    """Passages that together answer a question, and what they cover."""

    evidence: list[EvidenceItem] = Field(description="the chain from the question on, then the rest")
    left_out: int = Field(0, description="passages that did not fit")
    missing: list[str] = Field([], description="what the question names and no passage covers")
    notes: list[str] = []
    strategy: str | None = None
    chain: list[str] = []
    covered: list[str] = []

    def __str__(self) -> str:
        lines = [str(e) for e in self.evidence] or ["No passage was found."]
        lines += ["\n".join(("Chain:", *self.chain))] if self.chain else []
        lines += [f"({self.left_out} more; give more tokens to see them)"] if self.left_out else []
        missing = [f"Not covered: {'; '.join(self.missing)}"] if self.missing else []
        return "\n".join([*lines, *missing, *_note_lines(self.notes)])


class SaidSentence(BaseModel):
    """A sentence that answers, and where it stands."""

    sentence: str
    passage: str
    start: int
    end: int
    confidence: float = Field(description="the probability that it is right")
    page: int | None
    answer: str = Field(description="the answer in it")

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
    sentences: list[SaidSentence] = Field(description="when not sure, the closest one")
    parts: list[PartFinding] = Field(description="for a claim, what it states")
    chain: list[str]
    notes: list[str]

    def __str__(self) -> str:
        said = [str(p) for p in self.parts] or [str(s) for s in self.sentences]
        head = [_headline(self.answer, self.confidence)] if self.answer else [_NOT_SURE] if said else []
        chain = ["Chain:", *self.chain] if self.chain else []
        return "\n".join([*head, *said, *chain, *_note_lines(self.notes)])


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
        return "\n".join([_headline(self.verdict, self.confidence), *said, *_note_lines(self.notes)])


class MatchItem(BaseModel):
    """A passage that matches."""

    passage: str
    title: str
    text: str
    count: int = Field(1, description="matches in the passage")

    def __str__(self) -> str:
        count = f" ({self.count} times)" if self.count > 1 else ""
        return f"[{self.passage}] {self.title}: {self.text}{count}"


class GrepAnswer(_OfIndex):
    """Passages that match a pattern, in a fixed order."""

    matches: list[MatchItem]
    left: int = Field(description="matching passages not shown")
    complete: bool = Field(description="false when not all passages could be searched")
    next_start: int | None

    def __str__(self) -> str:
        lines = [str(each) for each in self.matches] or ["No passage matches."]
        if self.left or not self.complete:
            more = f"{self.left} more" if self.complete else f"at least {self.left} more"
            lines.append(f"({more}; go on with start={self.next_start})")
        return "\n".join(lines)


class MissingAnswer(_OfIndex):
    """What passages do not cover, and documents they mention that may."""

    names: list[str]
    words: list[str]
    leads: list[str] = Field(description="documents to read, by id")


class MemoryAnswer(_OfIndex):
    """The id of a memory."""

    id: str

    def __str__(self) -> str:
        return self.id


class ResearchAnswer(_OfIndex):
    """A report as Markdown."""

    report: str
    coverage: float
    missing: list[str] = Field(description="aspects not covered")


class DocumentAnswer(_OfIndex):
    """A document, or a part of it."""

    id: str
    title: str
    metadata: dict[str, Any]
    text: str
    start: int = Field(description="where the text begins, in characters")
    length: int = Field(description="characters of the whole document")
    next_start: int | None = Field(description="where to go on; null at the end")
    page: int | None = None

    def __str__(self) -> str:
        about = "".join(f"\n{field}: {value}" for field, value in self.metadata.items())
        rest = "" if self.next_start is None else f"\n(goes on at start={self.next_start}, of {self.length})"
        return f"{self.title or self.id} ({self.id}){about}\n{self.text}{rest}"


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
    coverage: float = Field(description="share covered after the hop")
    decision: str


class PassageStory(BaseModel):
    """How one passage fared in the result."""

    id: str
    rank: int | None = Field(description="null when it is not in the evidence")
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
        fields = ", ".join(f"{field} ({pluralize(count, 'value')})" for field, count in self.fields.items())
        size = f"{pluralize(self.documents, 'document')}, {pluralize(self.passages, 'passage')}"
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


def _headline(said: str, confidence: float) -> str:
    return f"{said} (confidence {confidence:.2f})"


def _note_lines(notes: list[str]) -> list[str]:
    return [f"Note: {note}" for note in notes]
