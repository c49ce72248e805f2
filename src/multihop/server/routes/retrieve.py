"""Questions over HTTP: answered at once, hop by hop as server-sent events, or many in one request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from multihop.server.asking import Asking
from multihop.server.guard import router
from multihop.server.problems import CLIENT_LEFT, Problem, body_of, problem_of
from multihop.server.questions import Watch
from multihop.server.schemas import Asked, Batch, BatchOut, Error, IndexName, Question
from multihop.server.service import served, service_of
from multihop.types import Hop, Result, plain

_SLOW: dict[int | str, dict[str, Any]] = {504: {"model": Error, "description": "the question took too long"}}
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["hop", "result", "error"]},
        "data": {"type": "string", "description": "JSON: a hop of the trace, the whole result, or an error."},
    },
}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `hop` after each hop, then `result` or `error`.",
        "content": {"text/event-stream": {"schema": _EVENT}},
    }
}

_QUIET = 15.0
_ALIVE = b": still at work\n\n"
"""A comment, sent when nothing has happened for so many seconds: it keeps what lies between from hanging up."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


@routes.post("/retrieve", response_model=Result, responses=_SLOW, summary="Find the evidence for a question")
async def retrieve(index: IndexName, body: Question, request: Request) -> Response:
    """Find at most k passages that together answer the question or decide the claim, with the trace that says why."""
    asking = _asking(request, index, body)
    asking.check(body.question)

    # The answer becomes bytes in the thread of the question: the event loop only hands them on.
    def work(watch: Watch) -> bytes:
        return asking.answer(body.question, watch).to_json().encode()

    return Response(await asking.service.questions.ask(work, request), media_type="application/json")


@routes.post(
    "/retrieve/stream", response_class=StreamingResponse, responses=_STREAM | _SLOW, summary="Watch a question"
)
async def stream(index: IndexName, body: Question, request: Request) -> Response:
    """Answer a question as server-sent events, one as each hop ends.

    What is wrong with the question itself is answered as an error with its status, before any event.
    """
    asking = _asking(request, index, body)
    asking.check(body.question)
    events = _Events(asking, body.question)
    first = await events.next()
    if isinstance(first, Problem):
        raise first
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events.all_after(first), media_type="text/event-stream", headers=headers)


@routes.post("/retrieve/batch", response_model=BatchOut, responses=_SLOW, summary="Answer several questions")
async def batch(index: IndexName, body: Batch, request: Request) -> Response:
    """Answer questions one after another; a question that cannot be answered gets an error in its place."""
    asking = _asking(request, index, body)
    limits = asking.service.settings.limits
    if len(body.questions) > limits.batch:
        raise Problem(422, f"the batch has {len(body.questions)} questions; at most {limits.batch} are allowed")
    asking.check(max(body.questions, key=len))

    def work(watch: Watch) -> bytes:
        return b'{"results": [' + b", ".join(_answer_or_error(asking, q, watch) for q in body.questions) + b"]}"

    answered = await asking.service.questions.ask(work, request, times=len(body.questions))
    return Response(answered, media_type="application/json")


def _asking(request: Request, index: str, body: Asked) -> Asking:
    return Asking(service_of(request), served(request, index), body, request.headers)


def _answer_or_error(asking: Asking, question: str, watch: Watch) -> bytes:
    watch.check()
    try:
        part = watch.within(asking.service.settings.limits.seconds)
        return asking.answer(question, part).to_json().encode()
    except Exception as error:
        problem = problem_of(error)
        if problem.status_code == CLIENT_LEFT:
            raise
        return json.dumps(body_of(problem)).encode()


class _Events:
    """The events of one question: put in by its thread, taken out by the connection."""

    def __init__(self, asking: Asking, question: str) -> None:
        self._asking = asking
        self._question = question
        self._watch = Watch(asking.service.settings.limits.seconds)
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | Problem | None] = asyncio.Queue()
        asking.service.questions.start(self._work, self._watch)

    def _work(self, watch: Watch) -> None:
        def told(hop: Hop) -> None:
            self._put(_event("hop", json.dumps(plain(hop), ensure_ascii=False)))

        try:
            result = self._asking.answer(self._question, watch, told)
            self._put(_event("result", result.to_json()))
        except Exception as error:  # noqa: BLE001  # the connection must hear of whatever ended its question
            self._put(problem_of(error))
        self._put(None)

    def _put(self, event: bytes | Problem | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    async def next(self) -> bytes | Problem | None:
        """Wait for the next event; when the time of the question is over, that is the event."""
        try:
            return await asyncio.wait_for(self._queue.get(), max(0.01, min(_QUIET, self._watch.remaining)))
        except TimeoutError:
            return _ALIVE if self._watch.remaining > 0 else self._watch.over()
        except asyncio.CancelledError:
            self._watch.left = True
            raise

    async def all_after(self, event: bytes | Problem | None) -> AsyncIterator[bytes]:
        """Give this event and those that follow; whoever stops listening ends the question."""
        try:
            while event is not None:
                if isinstance(event, Problem):
                    yield _event("error", json.dumps(body_of(event)))
                    return
                yield event
                event = await self.next()
        finally:
            self._watch.left = True


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()
