"""Routes for answers and verdicts: in one response, or as server-sent events."""

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
from multihop.server.schemas import IndexName, QuestionBody
from multihop.types import Answer, Verdict

routes = router("read", asks=True, prefix="/v1/indexes/{index}", tags=["questions"])


@routes.post("/answer", response_model=Answer, responses=TIMEOUT_RESPONSE, summary="Answer a question")
async def answer(index: IndexName, body: QuestionBody, request: Request) -> Response:
    """Answer a question with a sentence from the evidence and its confidence, or return the closest sentence.

    A claim is checked part by part. The evidence is in `result`.
    """
    return await respond(Retrieval.answer, index, body, request)


async def _events(index: IndexName, body: QuestionBody, request: Request) -> AsyncIterator[Events]:
    retrieval = retrieval_of(request, index, body)
    async for events in open_events(retrieval, body.question, retrieval.answer, "answer"):
        yield events


@routes.post(
    "/answer/stream",
    response_class=EventStream,
    responses=stream_responses("answer", "chain", ("draft", "words")) | TIMEOUT_RESPONSE,
    summary="Stream an answer",
)
async def stream(events: Annotated[Events, Depends(_events)]) -> AsyncIterator[ServerSentEvent]:
    """Answer a question as server-sent events: each hop as it ends, then the answer.

    In every hop, before the best candidates are re-ranked, `chain` has the chain so far. A `draft` with a note
    `unchecked` is an answer to a question of several steps before each of them is read. If a language model answers,
    the answer from sentences is sent first as `draft`, then the text written so far, `text` and `statements`, as
    `words`. None of these is checked yet: only `answer` is.
    """
    async for event in events:
        yield event


@routes.post("/verdict", response_model=Verdict, responses=TIMEOUT_RESPONSE, summary="Decide a claim")
async def verdict(index: IndexName, body: QuestionBody, request: Request) -> Response:
    """Decide whether the evidence supports or contradicts a claim, part by part, with the deciding sentences.

    If a language model fails, the claim is undecided, the notes give the reason, and `result` has the evidence.
    """
    return await respond(Retrieval.verdict, index, body, request)
