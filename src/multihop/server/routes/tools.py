"""Routes for agents: compact search, exact search, reading on, and what is missing, each within a token budget."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, Field, StrictBool, StrictInt

from multihop import tools
from multihop.rendering.prompt import chain_order, excerpts
from multihop.server.question_pool import Deadline
from multihop.server.router import router
from multihop.server.routes.retrieve import TIMEOUT_RESPONSE, retrieval_of
from multihop.server.schemas import (
    AsInt,
    Day,
    Filter,
    Ids,
    IndexName,
    PageNumber,
    QuestionBody,
    QuestionText,
    RequestBody,
    example_config,
)
from multihop.server.service import served_index, service_of
from multihop.types import Result

_MAX_TOKENS = 100_000
_MAX_MATCHES = 1000
_HEADING = 15
"""Tokens of the id and the title of a passage."""
_GREP_SECONDS = 5.0

Tokens = Annotated[StrictInt, Field(ge=50, le=_MAX_TOKENS, description="Maximum tokens of text, estimated."), AsInt]
Start = Annotated[StrictInt, Field(ge=0, description="Where to begin: `next_start` of the response before."), AsInt]

routes = router("read", prefix="/v1/indexes/{index}", tags=["agents"])


class CompactSearch(QuestionBody):
    """A question whose evidence is returned in compact form."""

    model_config = example_config({"question": "Who designed the ship that Amundsen borrowed?", "k": 8, "tokens": 400})
    tokens: Tokens = 400


class CompactPassage(BaseModel):
    """A passage, or the sentences of it that match."""

    id: str
    title: str
    text: str
    cut: bool


class CompactOut(BaseModel):
    """Passages in chain order, how many did not fit, and what the question names that none covers."""

    passages: list[CompactPassage]
    left_out: int
    missing: list[str]


class GrepBody(RequestBody):
    """A text to find, or a regular expression."""

    model_config = example_config({"pattern": "Colin Archer"})
    pattern: Annotated[str, Field(min_length=1, max_length=tools.LONGEST_PATTERN, description="A text to find.")]
    expression: Annotated[StrictBool, Field(description="The pattern is a regular expression.")] = False
    case: Annotated[StrictBool, Field(description="Upper and lower case differ.")] = False
    where: Filter | None = None
    as_of: Day | None = None
    limit: Annotated[StrictInt, Field(ge=1, le=_MAX_MATCHES, description="Maximum number of passages."), AsInt] = 50
    tokens: Tokens = 1000
    start: Start = 0


class MatchOut(BaseModel):
    """A passage that matches, with the text around the first match."""

    passage_id: str
    title: str
    text: str
    count: int


class GrepOut(BaseModel):
    """Passages that match, and how many are left; `complete` is false when time ran out."""

    pattern: str
    matches: list[MatchOut]
    left: int
    searched: int
    size: int
    next_start: int | None
    complete: bool


class ReadBody(RequestBody):
    """A document or passage to read, by id."""

    model_config = example_config({"id": "fram-ship#0", "tokens": 500})
    id: Annotated[str, Field(min_length=1, max_length=1000, description="The id of a document or a passage.")]
    start: Start | None = None
    page: Annotated[PageNumber | None, Field(description="A page, for documents that have pages.")] = None
    tokens: Tokens = 1000


class ReadOut(BaseModel):
    """A part of a document; `next_start` is null at its end."""

    document_id: str
    title: str
    metadata: dict[str, Any]
    text: str
    start: int
    end: int
    length: int
    page: int | None
    next_start: int | None


class MissingBody(RequestBody):
    """A question and the passages that are already known."""

    model_config = example_config(
        {"question": "Who designed the ship that Amundsen borrowed?", "passages": ["roald-amundsen#0"]}
    )
    question: QuestionText
    passages: Annotated[Ids, Field(max_length=1000, description="Ids of passages.")]


class LeadOut(BaseModel):
    """A document that the passages mention."""

    document_id: str
    title: str


class MissingOut(BaseModel):
    """Names and words of the question that the passages do not cover, and documents to read next."""

    question: str
    names: list[str]
    words: list[str]
    leads: list[LeadOut]
    text: str


@routes.post("/search", response_model=CompactOut, responses=TIMEOUT_RESPONSE, summary="Find evidence, compact")
async def search(index: IndexName, body: CompactSearch, request: Request) -> dict[str, Any]:
    """Find evidence as `retrieve` does and return only its texts, within a token budget."""
    retrieval = retrieval_of(request, index, body)
    retrieval.check(body.question)

    def work(deadline: Deadline) -> dict[str, Any]:
        return _compact(retrieval.retrieve(body.question, deadline), body.tokens)

    return await retrieval.service.questions.ask(work, request)


def _compact(result: Result, tokens: int) -> dict[str, Any]:
    ordered = [e.passage for e in chain_order(result)]
    fitting = excerpts(ordered, result, tokens, heading=_HEADING)
    passages = [{"id": p.id, "title": p.citation, "text": text, "cut": cut} for p, text, cut in fitting]
    missing = [t.name for t in result.coverage.missing]
    return {"passages": passages, "left_out": len(ordered) - len(passages), "missing": missing}


@routes.post("/grep", response_model=GrepOut, responses=TIMEOUT_RESPONSE, summary="Find a text exactly")
async def grep(index: IndexName, body: GrepBody, request: Request) -> dict[str, Any]:
    """Find the passages that contain a text or match a regular expression; those not shown are counted."""
    engine = served_index(request, index).engine
    given = body.model_dump(exclude_none=True)
    seconds = min(_GREP_SECONDS, service_of(request).settings.limits.seconds / 2)

    def work(_: Deadline) -> dict[str, Any]:
        return tools.grep(engine, **given, seconds=seconds).to_dict()

    return await service_of(request).questions.ask(work, request)


@routes.post("/read", response_model=ReadOut, summary="Read a document")
async def read(index: IndexName, body: ReadBody, request: Request) -> dict[str, Any]:
    """Return a part of a document: from its beginning, from a place or page, or around a passage."""
    engine = served_index(request, index).engine
    return await service_of(request).look_up(lambda: tools.read(engine, **body.model_dump()).to_dict())


@routes.post("/missing", response_model=MissingOut, summary="Get what is not covered yet")
async def missing(index: IndexName, body: MissingBody, request: Request) -> dict[str, Any]:
    """Return what of a question some passages do not cover, and the documents they lead to."""
    engine = served_index(request, index).engine
    return await service_of(request).look_up(lambda: tools.missing(engine, body.question, body.passages).to_dict())
