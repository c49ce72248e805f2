"""Converts results of the engine to tool responses of bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from multihop.adapters.mcp import schemas
from multihop.rendering.chain import chain_lines
from multihop.rendering.phrases import shorten
from multihop.rendering.prompt import chain_order, excerpts
from multihop.rendering.tokens import estimate_tokens
from multihop.rendering.trace import as_lines, describe_trace
from multihop.tools import Matches, Missing, Page
from multihop.types import (
    Answer,
    AnswerSentence,
    ClaimPart,
    Evidence,
    Found,
    Hop,
    Metadata,
    Passage,
    Result,
    Stats,
    Verdict,
    plain,
)
from multihop.types.notes import NO_EMBEDDER, NOT_SURE, SHORT, UNDECIDED

_MAX_TEXT = 2_000
_MIN_TEXT = 400
_TOTAL_TEXT = 40_000
"""Total characters of all passages of a response."""
_MAX_LINE = 300
_MAX_LINES = 50


def compact_evidence(index: str, result: Result, tokens: int, extra: Iterable[str] = ()) -> schemas.EvidenceAnswer:
    """Convert a result within a token budget: the best sentence of every passage, and whole ones as far as they fit."""
    ordered = [e.passage for e in chain_order(result)]
    heading = max((estimate_tokens(f"[{p.id}] {_title(p)}:") for p in ordered), default=0)
    fitting = excerpts(ordered, result, tokens, heading=heading)
    items = [schemas.EvidenceItem(passage=p.id, title=_title(p), text=text) for p, text, _ in fitting]
    return schemas.EvidenceAnswer(
        index=index, evidence=items, left_out=len(ordered) - len(items),
        missing=_lines(t.name for t in result.coverage.missing), notes=_evidence_notes(result, extra),
    )  # fmt: skip


def full_evidence(index: str, result: Result, extra: Iterable[str] = ()) -> schemas.EvidenceAnswer:
    """Convert a result with scores, reasons and its chain; long passages are shortened."""
    # The more passages, the shorter each: a response has to fit into a conversation.
    limit = max(_MIN_TEXT, min(_MAX_TEXT, _TOTAL_TEXT // result.k))
    return schemas.EvidenceAnswer(
        index=index,
        left_out=0,
        strategy=_strategy(result),
        evidence=[_item(e, limit, result) for e in result],
        chain=chain_lines(result, result.chain),
        covered=_lines(t.name for t in result.coverage.targets if t.covered),
        missing=_lines(t.name for t in result.coverage.missing),
        notes=_evidence_notes(result, extra),
    )


def question_answer(index: str, found: Answer) -> schemas.QuestionAnswer:
    """Convert the answer to a question."""
    return schemas.QuestionAnswer(
        index=index,
        question=found.question,
        answer=_line(found.text),
        confidence=round(found.confidence, 4),
        kind=found.kind,
        sentences=[_sentence(s) for s in found.sentences],
        parts=[_part(p) for p in found.parts],
        chain=chain_lines(found.result, found.chain) if found.answered else [],
        notes=_answer_notes(found),
    )


def claim_verdict(index: str, found: Verdict) -> schemas.ClaimVerdict:
    """Convert a verdict."""
    return schemas.ClaimVerdict(
        index=index,
        claim=found.claim,
        verdict=found.label,
        confidence=round(found.confidence, 4),
        reasoning=_line(found.reasoning),
        sentences=[_sentence(s) for s in found.sentences],
        parts=[_part(p) for p in found.parts],
        notes=_answer_notes(found),
    )


def _sentence(sentence: AnswerSentence) -> schemas.SaidSentence:
    quote = sentence.quote
    return schemas.SaidSentence(
        sentence=shorten(" ".join(quote.text.split()), _MIN_TEXT), passage=quote.passage_id,
        start=quote.start, end=quote.end, confidence=sentence.confidence, page=sentence.page,
        answer=_line(sentence.answer.text) if sentence.answer else "",
    )  # fmt: skip


def _part(part: ClaimPart) -> schemas.PartFinding:
    return schemas.PartFinding(
        part=_line(part.text), finding=part.finding, sentence=_sentence(part.sentence) if part.sentence else None
    )


def grep_answer(index: str, found: Matches) -> schemas.GrepAnswer:
    """Convert the passages that match a pattern."""
    return schemas.GrepAnswer(
        index=index, left=found.left, complete=found.complete, next_start=found.next_start,
        matches=[
            schemas.MatchItem(passage=m.passage_id, title=m.title, text=m.text, count=m.count) for m in found.matches
        ],
    )  # fmt: skip


def missing_answer(index: str, found: Missing) -> schemas.MissingAnswer:
    """Convert what passages do not cover."""
    leads = [each.document_id for each in found.leads]
    return schemas.MissingAnswer(index=index, names=list(found.names), words=list(found.words), leads=leads)


def explanation(index: str, result: Result, passage: str | None) -> schemas.ExplanationAnswer:
    """Explain how a result was found and, if requested, the ranking of one passage."""
    plan = result.trace.plan
    return schemas.ExplanationAnswer(
        index=index,
        question=result.question,
        strategy=_strategy(result),
        entities=_lines(f"{e.text} ({e.kind})" for e in plan.entities),
        sub_questions=_lines(plan.sub_questions),
        aspects=_lines(f"{a.text} ({a.type})" for a in plan.aspects),
        hops=[_step(h) for h in result.trace.hops[:_MAX_LINES]],
        evidence=[e.passage.id for e in result],
        missing=_lines(t.name for t in result.coverage.missing),
        notes=_lines(_notes(result)),
        passage=None if passage is None else _story(result, passage),
    )


def explanation_text(result: Result, answer: schemas.ExplanationAnswer) -> str:
    """Format an explanation as text: the ranking of one passage, if requested, and the description of the trace."""
    # Every hop may repeat the whole question, which the reader already knows.
    outline = describe_trace(result.trace, question=result.question)
    lines = [] if answer.passage is None else [str(answer.passage)]
    lines += [f"strategy {answer.strategy}", *(line for e in outline.below for line in as_lines(e, _MAX_LINE))]
    lines += [f"evidence: {'; '.join(answer.evidence)}"] if answer.evidence else []
    lines += [f"not covered: {'; '.join(answer.missing)}"] if answer.missing else []
    return "\n".join(lines)


def document_answer(index: str, page: Page) -> schemas.DocumentAnswer:
    """Convert a part of a document."""
    return schemas.DocumentAnswer(
        index=index, id=page.document_id, title=_line(page.title), metadata=_limit_metadata(page.metadata),
        text=page.text, start=page.start, length=page.length, next_start=page.next_start, page=page.page,
    )  # fmt: skip


def index_facts(name: str, stats: Stats) -> schemas.IndexFacts:
    """Describe an index."""
    fields = dict(list(stats.fields.items())[:_MAX_LINES])
    return schemas.IndexFacts(
        name=name, documents=stats.documents, passages=stats.passages, fields=fields, embedder=stats.embedder
    )


def _notes(result: Result, *omitted: str) -> list[str]:
    """Return the notes and conflicts of a result, not that the index has no vectors, which list_indexes reports."""
    notes = [note.text for note in result.trace.notes if note.code not in (NO_EMBEDDER, *omitted)]
    return [*notes, *(conflict.text for conflict in result.conflicts)]


def _evidence_notes(result: Result, extra: Iterable[str]) -> list[str]:
    # "No passage was found" says how many there are.
    return _lines([*extra, *_notes(result, *(() if result.evidence else (SHORT,)))])


def _answer_notes(found: Answer | Verdict) -> list[str]:
    """Return the notes that a response does not state anyway; nobody asked for the number of passages."""
    own = [note.text for note in found.notes if note.code not in (NOT_SURE, UNDECIDED)]
    return _lines([*own, *_notes(found.result, SHORT)])


def _strategy(result: Result) -> str:
    return str(result.trace.strategy.get("name", ""))


def _item(evidence: Evidence, limit: int, result: Result) -> schemas.EvidenceItem:
    passage = evidence.passage
    return schemas.EvidenceItem(
        passage=passage.id, document=passage.document_id, title=_title(passage),
        text=shorten(passage.text, limit), cut=len(passage.text) > limit,
        score=round(evidence.score, 4), hop=evidence.hop, reason=_line(evidence.reason),
        part=result.chain.part_of(passage.id),
    )  # fmt: skip


def _title(passage: Passage) -> str:
    return _line(passage.citation)


def _step(hop: Hop) -> schemas.HopStep:
    return schemas.HopStep(
        number=hop.number,
        queries=[_query(f) for f in hop.found[:_MAX_LINES]],
        entered=list(hop.entered),
        left=list(hop.left),
        replaced=_lines(f"{r.out} by {r.into}: {r.reason}" for r in hop.replaced),
        coverage=round(hop.coverage_after.fraction, 4),
        decision=f"{'stopped' if hop.decision.stop else 'went on'}: {hop.decision.reason}",
    )


def _query(found: Found) -> schemas.QueryStep:
    return schemas.QueryStep(
        text=_line(found.query.text), purpose=_line(found.query.purpose), found=dict(found.counts), new=found.new
    )


def _story(result: Result, id: str) -> schemas.PassageStory:
    hops = result.trace.hops
    # A passage may enter and leave several times; the last time counts.
    entered = [h.number for h in hops if id in h.entered]
    left = [h.number for h in hops if id in h.left]
    there = next((e for e in result if e.passage.id == id), None)
    return schemas.PassageStory(
        id=id,
        rank=there.rank if there else None,
        reason=there.reason if there else _absence_reason(result, id, left),
        scores=plain(there.scores) if there else {},
        entered_at_hop=entered[-1] if entered else None,
        left_at_hop=left[-1] if left and not there else None,
    )


def _absence_reason(result: Result, id: str, left: list[int]) -> str:
    swaps = [r.reason for h in result.trace.hops for r in h.replaced if r.out == id]
    if swaps:
        return f"it was replaced at hop {left[-1]}, {swaps[-1]}" if left else f"it was replaced, {swaps[-1]}"
    if left:
        return f"better ones came at hop {left[-1]}"
    # A trace records only the best hits of a query.
    seen = any(hit.passage_id == id for h in result.trace.hops for f in h.found for hit in f.top)
    return "it was found, and others were better" if seen else "no query brought it near the top"


def _lines(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(_line, texts)))[:_MAX_LINES]


def _line(text: str) -> str:
    return shorten(" ".join(text.split()), _MAX_LINE)


def _limit_metadata(metadata: Metadata) -> dict[str, Any]:
    # Metadata comes from documents: a huge field must not fill the conversation.
    return {_line(field): _value(value) for field, value in list(metadata.items())[:_MAX_LINES]}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(v) for v in value[:_MAX_LINES]]
    return _line(value) if isinstance(value, str) else value
