"""Questions over HTTP: answered at once, hop by hop as server-sent events, or many in one request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from multihop.engine import Engine
from multihop.server.guard import router
from multihop.server.problems import CLIENT_LEFT, Problem, body_of, problem_of
from multihop.server.questions import Questions, Watch
from multihop.server.schemas import Asked, Batch, BatchOut, Error, Question
from multihop.server.service import served, service_of
from multihop.server.settings import Limits
from multihop.types import Hop, Result, plain

_SLOW: dict[int | str, dict[str, Any]] = {504: {"model": Error, "description": "the question took too long"}}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `hop` after each hop, then `result` or `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


@routes.post("/retrieve", response_model=Result, responses=_SLOW, summary="Find the evidence for a question")
async def retrieve(index: str, body: Question, request: Request) -> Response:
    """Find at most k passages that together answer the question or decide the claim, with the trace that says why."""
    service, engine = service_of(request), served(request, index).engine
    _check(body, service.settings.limits, body.question)

    def work(watch: Watch) -> bytes:
        return _answer(engine, body.question, body, watch).to_json().encode()

    return Response(await service.questions.ask(work, request), media_type="application/json")


@routes.post(
    "/retrieve/stream",
    response_class=StreamingResponse,
    responses=_STREAM | _SLOW,
    summary="Watch the hops of a question",
)
async def stream(index: str, body: Question, request: Request) -> Response:
    """Answer a question as server-sent events, one as each hop ends.

    What is wrong with the question itself is answered as an error with its status, before any event.
    """
    service, engine = service_of(request), served(request, index).engine
    _check(body, service.settings.limits, body.question)
    events = _Events(service.questions, service.settings.limits.seconds)
    events.start(engine, body)
    first = await events.next()
    if isinstance(first, Problem):
        raise first
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events.all_after(first), media_type="text/event-stream", headers=headers)


@routes.post("/retrieve/batch", response_model=BatchOut, summary="Answer several questions")
async def batch(index: str, body: Batch, request: Request) -> Response:
    """Answer questions one after another; a question that cannot be answered gets an error in its place."""
    service, engine = service_of(request), served(request, index).engine
    limits = service.settings.limits
    if len(body.questions) > limits.batch:
        raise Problem(422, f"the batch has {len(body.questions)} questions; at most {limits.batch} are allowed")
    _check(body, limits, max(body.questions, key=len))

    def work(watch: Watch) -> bytes:
        answers = (_answer_or_error(engine, question, body, watch, limits.seconds) for question in body.questions)
        return b'{"results": [' + b", ".join(answers) + b"]}"

    answered = await service.questions.ask(work, request, times=len(body.questions))
    return Response(answered, media_type="application/json")


def _check(body: Asked, limits: Limits, question: str) -> None:
    if body.k > limits.k:
        raise Problem(422, f"k is {body.k}; at most {limits.k} passages are allowed")
    if len(question) > limits.question:
        raise Problem(422, f"the question has {len(question)} characters; at most {limits.question} are allowed")


def _answer(engine: Engine, question: str, body: Asked, watch: Watch) -> Result:
    def on_hop(_: Hop) -> None:
        watch.check()

    return engine.retrieve(question, k=body.k, strategy=body.strategy, where=body.filter(), on_hop=on_hop)


def _answer_or_error(engine: Engine, question: str, body: Asked, watch: Watch, seconds: float) -> bytes:
    watch.check()
    try:
        return _answer(engine, question, body, watch.within(seconds)).to_json().encode()
    except Exception as error:  # noqa: BLE001  # one question must not take the answers of the others with it
        problem = problem_of(error)
        if problem.status_code == CLIENT_LEFT:
            raise
        return json.dumps(body_of(problem)).encode()


class _Events:
    """The events of one question: put in by its thread, taken out by the connection."""

    def __init__(self, questions: Questions, seconds: float) -> None:
        self._questions = questions
        self._watch = Watch(seconds)
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | Problem | None] = asyncio.Queue()

    def start(self, engine: Engine, body: Question) -> None:
        self._questions.start(lambda watch: self._work(engine, body, watch), self._watch)

    def _work(self, engine: Engine, body: Question, watch: Watch) -> None:
        def on_hop(hop: Hop) -> None:
            watch.check()
            self._put(_event("hop", json.dumps(plain(hop), ensure_ascii=False)))

        try:
            result = engine.retrieve(
                body.question, k=body.k, strategy=body.strategy, where=body.filter(), on_hop=on_hop
            )
            self._put(_event("result", result.to_json()))
        except Exception as error:  # noqa: BLE001  # the connection must hear of whatever ended its question
            self._put(problem_of(error))
        finally:
            self._put(None)

    def _put(self, event: bytes | Problem | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    async def next(self) -> bytes | Problem | None:
        """Wait for the next event; a problem in its place when the time of the question is over."""
        try:
            return await asyncio.wait_for(self._queue.get(), max(0.01, self._watch.remaining))
        except TimeoutError:
            self._watch.left = True
            return self._watch.over()
        except asyncio.CancelledError:
            self._watch.left = True
            raise

    async def all_after(self, event: bytes | Problem | None) -> AsyncIterator[bytes]:
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
