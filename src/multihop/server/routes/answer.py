"""Answers over HTTP: at once, or as server-sent events while the evidence is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.sse import ServerSentEvent

from multihop.server.retrieval import Retrieval
from multihop.server.router import router
from multihop.server.routes.retrieve import (
    TIMEOUT_RESPONSE,
    Events,
    EventStream,
    open_events,
    respond,
    retrieval_of,
    stream_responses,
)
from multihop.server.schemas import IndexName, Question
from multihop.types import Answer, Verdict

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


@routes.post("/answer", response_model=Answer, responses=TIMEOUT_RESPONSE, summary="Answer a question")
async def answer(index: IndexName, body: Question, request: Request) -> Response:
    """Answer a question by the sentence that says it, with a confidence, or show the closest sentence.

    A claim is checked, with its parts. The evidence is in `result`.
    """
    return await respond(Retrieval.answer, index, body, request)


async def _events(index: IndexName, body: Question, request: Request) -> AsyncIterator[Events]:
    retrieval = retrieval_of(request, index, body)
    async for events in open_events(retrieval, body.question, retrieval.answer, "answer"):
        yield events


@routes.post(
    "/answer/stream",
    response_class=EventStream,
    responses=stream_responses("answer", "chain", ("draft", "words")) | TIMEOUT_RESPONSE,
    summary="Watch it",
)
async def stream(events: Annotated[Events, Depends(_events)]) -> AsyncIterator[ServerSentEvent]:
    """Answer a question as server-sent events: each hop as it ends, then the answer.

    In every hop, before the best candidates are read, `chain` has the passages that lead from the question so far.
    Where a language model answers, the answer by sentences comes before it as `draft`, and what the model has written
    so far, `text` and `statements`, as `words`. These are not checked yet: only `answer` has citations.
    """
    async for event in events:
        yield event


@routes.post("/verdict", response_model=Verdict, responses=TIMEOUT_RESPONSE, summary="Decide a claim")
async def verdict(index: IndexName, body: Question, request: Request) -> Response:
    """Say whether the evidence supports or contradicts a claim, part by part, and by which sentences.

    When a language model fails the claim is undecided, the notes say why, and `result` has what was found.
    """
    return await respond(Retrieval.verdict, index, body, request)
