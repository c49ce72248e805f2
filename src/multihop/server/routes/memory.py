"""Routes for memory: agents remember, update, forget and recall, each in a namespace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Request, Response
from pydantic import BaseModel, Field

from multihop.server.problems import Problem
from multihop.server.question_pool import Deadline
from multihop.server.router import router
from multihop.server.routes.retrieve import TIMEOUT_RESPONSE, retrieval_of
from multihop.server.schemas import IndexName, QuestionBody, RequestBody, Value, example_config
from multihop.server.service import service_of
from multihop.server.tokens import token_of
from multihop.tools.memory import Memory, Said
from multihop.types import Result

T = TypeVar("T")
Namespace = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^#]*[^#\s][^#]*$", description="Whose.")]
MemoryId = Annotated[str, Field(min_length=1, max_length=1000, description="The id that remember returned.")]
_Text = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]

reading = router("read", prefix="/v1/indexes/{index}/memory", tags=["agents"])
writing = router("memory", prefix="/v1/indexes/{index}/memory", tags=["agents"])


class SaidBody(RequestBody):
    """One turn of a conversation."""

    speaker: Annotated[str, Field(max_length=500)] = ""
    text: _Text
    time: Annotated[datetime, Field(description="When it was said; now by default.")] | None = None


class RememberBody(RequestBody):
    """Texts to remember, each as a memory of its own, with metadata for all."""

    model_config = example_config(
        {
            "namespace": "ann",
            "turns": [{"speaker": "Ann", "text": "I moved to Lisbon.", "time": "2023-05-08T13:56:00Z"}],
        }
    )
    namespace: Namespace
    turns: Annotated[list[SaidBody], Field(min_length=1, max_length=1000)]
    metadata: Annotated[dict[str, Value], Field(max_length=50, default_factory=dict)]


class UpdateBody(RequestBody):
    """The new text of a memory."""

    model_config = example_config({"namespace": "ann", "id": "ann-3f2a90c1d7", "text": "I moved to Oslo."})
    namespace: Namespace
    id: MemoryId
    text: _Text


class ForgetBody(RequestBody):
    """A memory to forget."""

    model_config = example_config({"namespace": "ann", "id": "ann-3f2a90c1d7"})
    namespace: Namespace
    id: MemoryId


class RecallBody(QuestionBody):
    """A question about what is remembered, today or `as_of` a day."""

    model_config = example_config({"namespace": "ann", "question": "Where does Ann live?", "k": 5})
    namespace: Namespace


class Remembered(BaseModel):
    """Ids of memories."""

    ids: list[str]


@writing.post("/remember", response_model=Remembered, summary="Remember texts or a conversation")
async def remember(index: IndexName, body: RememberBody, request: Request) -> dict[str, Any]:
    """Remember texts in a namespace; responds once they are safely on disk."""
    turns = [Said(each.speaker, each.text, each.time) for each in body.turns]
    return {
        "ids": await _write(request, index, body.namespace, lambda m: m.remember_turns(turns, metadata=body.metadata))
    }


@writing.post("/update", response_model=Remembered, summary="Update a memory")
async def update(index: IndexName, body: UpdateBody, request: Request) -> dict[str, Any]:
    """Add the new text and end the old memory, which can still be recalled as of an earlier day."""
    return {"ids": [await _write(request, index, body.namespace, lambda m: m.update(body.id, body.text))]}


@writing.post("/forget", response_model=Remembered, summary="Forget a memory")
async def forget(index: IndexName, body: ForgetBody, request: Request) -> dict[str, Any]:
    """End a memory: it is no longer recalled, except as of an earlier day."""
    await _write(request, index, body.namespace, lambda m: m.forget(body.id))
    return {"ids": [body.id]}


@reading.post("/recall", response_model=Result, responses=TIMEOUT_RESPONSE, summary="Recall memories")
async def recall(index: IndexName, body: RecallBody, request: Request) -> Response:
    """Find what is remembered on a question in a namespace."""
    _check_namespace(request, body.namespace)
    retrieval = retrieval_of(request, index, body)
    retrieval.check(body.question)

    def work(_: Deadline) -> bytes:
        memory = Memory(retrieval.served_index.engine, body.namespace)
        return memory.recall(body.request(body.question)).to_json().encode()

    return Response(await retrieval.service.questions.ask(work, request), media_type="application/json")


def _check_namespace(request: Request, namespace: str) -> None:
    """Raise if the token is for the memory of somebody else."""
    own = token_of(request).namespace
    if own and namespace != own:
        raise Problem(403, f"the token is for the namespace {own!r:.80}, not for {namespace!r:.80}")


async def _write(request: Request, index: str, namespace: str, work: Callable[[Memory], T]) -> T:
    _check_namespace(request, namespace)
    service = service_of(request)
    # Whatever its writer may see of it, a memory goes into the whole index.
    each = service.indexes.require_covered(index, token_of(request))

    def change() -> T:
        with each.writing(service.settings.limits.write_wait) as engine:
            return work(Memory(engine, namespace))

    return await service.write(change)
