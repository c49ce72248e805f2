"""Routes for retrieval: one response, server-sent events per hop, or a batch."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from multihop.answering.lm import OnWords
from multihop.server.problems import CLIENT_LEFT, Problem, body_of, problem_of
from multihop.server.question_pool import Deadline
from multihop.server.retrieval import OnDraft, OnEvidence, Retrieval
from multihop.server.router import check_token, router
from multihop.server.schemas import Batch, BatchOut, Error, IndexName, QuestionBody
from multihop.server.service import served_index, service_of
from multihop.server.spans import OnHop
from multihop.server.tokens import token_of
from multihop.types import Answer, Hop, Result, Verdict, plain

TIMEOUT_RESPONSE: dict[int | str, dict[str, Any]] = {504: {"model": Error, "description": "the question took too long"}}


def stream_responses(last: str, during: str = "", between: Sequence[str] = ()) -> dict[int | str, dict[str, Any]]:
    """Describe an event stream that ends with `last`, after those `between`; one is sent `during` each hop."""
    description = f"JSON: a hop of the trace with the titles of added passages, the complete {last}, or an error."
    event = {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": {"enum": [*filter(None, [during]), "hop", *between, last, "error"]},
            "data": {"type": "string", "description": description},
        },
    }
    then = "".join(f"then `{name}`, " for name in between)
    first = f"`{during}` in each hop, `hop` after it" if during else "`hop` after each hop"
    course = f"Server-sent events: {first}, {then}then `{last}` or `error`."
    return {200: {"description": course, "content": {"text/event-stream": {"itemSchema": event}}}}


Ask = Callable[[str, Deadline, OnHop, OnEvidence, OnDraft, OnWords], Result | Answer]
_PATIENCE = 15.0
"""Seconds during which a failure is returned as a status; later ones are sent as an event."""


class EventStream(EventSourceResponse):
    """Has no media type, so that errors are documented as JSON."""

    media_type = None  # type: ignore[assignment]  # as in StreamingResponse, which has none


routes = router("read", asks=True, prefix="/v1/indexes/{index}", tags=["questions"])


@routes.post("/retrieve", response_model=Result, responses=TIMEOUT_RESPONSE, summary="Find the evidence for a question")
async def retrieve(index: IndexName, body: QuestionBody, request: Request) -> Response:
    """Find at most k passages that together answer the question or decide the claim, with the trace."""
    return await respond(Retrieval.retrieve, index, body, request)


async def respond(
    ask: Callable[[Retrieval, str, Deadline], Result | Answer | Verdict],
    index: str,
    body: QuestionBody,
    request: Request,
) -> Response:
    """Ask a question and return the result in one response."""
    retrieval = retrieval_of(request, index, body)
    retrieval.check(body.question)

    # Serialized in the thread of the question, so that the event loop only sends the bytes.
    def work(deadline: Deadline) -> bytes:
        return ask(retrieval, body.question, deadline).to_json().encode()

    return Response(await retrieval.service.questions.ask(work, request), media_type="application/json")


class Events:
    """The events of one question, produced by its thread and consumed by the connection; the final one is `last`."""

    def __init__(self, retrieval: Retrieval, question: str, ask: Ask, last: str) -> None:
        self.deadline = Deadline(retrieval.service.settings.limits.seconds)
        self._retrieval = retrieval
        self._question = question
        self._ask, self._last = ask, last
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[ServerSentEvent | Problem | None] = asyncio.Queue()
        self._first: ServerSentEvent | Problem | None = None
        retrieval.service.questions.start(self._work, self.deadline, retrieval.token)

    def _work(self, deadline: Deadline) -> None:
        def send(event: str, data: dict[str, Any]) -> None:
            self._put(ServerSentEvent(event=event, raw_data=json.dumps(data, ensure_ascii=False)))

        def on_hop(hop: Hop) -> None:
            # With titles, so that the client need not request them while the question is running.
            entered = self._retrieval.served_index.engine.store.view().passages(hop.entered)
            send("hop", plain(hop) | {"titles": {id: passage.title for id, passage in entered.items()}})

        try:
            answered = self._ask(
                self._question, deadline, on_hop,
                lambda partial_result: send("chain", _chain_only(partial_result)),
                lambda draft: send("draft", draft.to_dict()),
                lambda words: send("words", words._asdict()),
            )  # fmt: skip
            send(self._last, answered.to_dict())
        except Exception as error:  # noqa: BLE001  # the client must be told of any failure
            self._put(problem_of(error))
        self._put(None)

    def _put(self, event: ServerSentEvent | Problem | None) -> None:
        # The queue belongs to the event loop; this runs in the thread of the question.
        self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    async def begin(self) -> None:
        """Wait a while for the first event; raises it if it is a problem."""
        with contextlib.suppress(TimeoutError):
            self._first = await asyncio.wait_for(self._queue.get(), min(_PATIENCE, self.deadline.remaining))
        if isinstance(self._first, Problem):
            raise self._first

    async def __aiter__(self) -> AsyncIterator[ServerSentEvent]:
        event = self._first or await self._next()
        while event is not None:
            if isinstance(event, Problem):
                yield ServerSentEvent(event="error", raw_data=json.dumps(body_of(event)))
                return
            yield event
            event = await self._next()

    async def _next(self) -> ServerSentEvent | Problem | None:
        """Wait for the next event; after the deadline, return a timeout problem."""
        try:
            # At least briefly, so that a queued event is delivered before the timeout.
            return await asyncio.wait_for(self._queue.get(), max(0.01, self.deadline.remaining))
        except TimeoutError:
            return self.deadline.timeout_problem()


async def _events(index: IndexName, body: QuestionBody, request: Request) -> AsyncIterator[Events]:
    retrieval = retrieval_of(request, index, body)

    def ask(question: str, deadline: Deadline, on_hop: OnHop, *_: Any) -> Result:
        return retrieval.retrieve(question, deadline, on_hop)

    async for events in open_events(retrieval, body.question, ask, "result"):
        yield events


async def open_events(retrieval: Retrieval, question: str, ask: Ask, last: str) -> AsyncIterator[Events]:
    """Start a question and yield its events; raises if it fails before the first one."""
    retrieval.check(question)
    events = Events(retrieval, question, ask, last)
    try:
        await events.begin()
        yield events
    finally:
        # Stop the question when the client disconnects.
        events.deadline.leave()


@routes.post(
    "/retrieve/stream",
    response_class=EventStream,
    responses=stream_responses("result") | TIMEOUT_RESPONSE,
    summary="Stream the evidence for a question",
)
async def stream(events: Annotated[Events, Depends(_events)]) -> AsyncIterator[ServerSentEvent]:
    """Retrieve evidence as server-sent events, one per hop.

    An invalid question is returned as an error status before any event.
    """
    async for event in events:
        yield event


@routes.post(
    "/retrieve/batch",
    response_model=BatchOut,
    responses=TIMEOUT_RESPONSE,
    summary="Find the evidence for several questions",
)
async def batch(index: IndexName, body: Batch, request: Request) -> Response:
    """Answer questions one after another; a failed question gets an error in its place."""
    retrieval = retrieval_of(request, index, body)
    limits = retrieval.service.settings.limits
    if len(body.questions) > limits.batch:
        raise Problem(422, f"the batch has {len(body.questions)} questions; at most {limits.batch} are allowed")
    retrieval.check(max(body.questions, key=len))

    works = [partial(_answer_or_error, retrieval, question) for question in body.questions]
    answered = await retrieval.service.questions.ask_each(works, request)
    # Each is already JSON, serialized in the thread of its question.
    return Response(b'{"results": [' + b", ".join(answered) + b"]}", media_type="application/json")


def _chain_only(partial_result: Result) -> dict[str, Any]:
    """Return the part of a result needed to draw its chain."""
    evidence = [plain(e) for e in partial_result.evidence if e.passage.id in partial_result.chain.passages]
    shown = {"question": partial_result.question, "evidence": evidence, "chain": plain(partial_result.chain)}
    return shown | {"trace": {"plan": plain(partial_result.trace.plan), "hops": []}}


def retrieval_of(request: Request, index: str, body: QuestionBody | Batch) -> Retrieval:
    return Retrieval(
        service_of(request), served_index(request, index), body, request.headers, token_of(request).sha256,
        partial(check_token, request, "read"),
    )  # fmt: skip


def _answer_or_error(retrieval: Retrieval, question: str, deadline: Deadline) -> bytes:
    deadline.check()
    try:
        part = Deadline(retrieval.service.settings.limits.seconds, parent=deadline)
        return retrieval.retrieve(question, part).to_json().encode()
    except Exception as error:
        problem = problem_of(error)
        # The client of the whole batch has disconnected, or its token was revoked.
        if problem.status_code in (CLIENT_LEFT, 401, 403):
            raise
        return json.dumps(body_of(problem)).encode()
