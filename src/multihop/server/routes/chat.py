"""Routes in the form of OpenAI's chat API, so that chat clients can ask an index: the model is the index, by name.

Earlier messages are the conversation that a follow-up question refers to. What is streamed is checked already: an
answer comes line by line, its sources last.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from multihop.answering.conversation import REMEMBERED, Turn
from multihop.answering.kinds import expected
from multihop.rendering.phrases import one_line
from multihop.rendering.tokens import estimate_tokens
from multihop.server.problems import Problem, body_of
from multihop.server.question_pool import Deadline
from multihop.server.router import router
from multihop.server.routes.retrieve import TIMEOUT_RESPONSE, retrieval_of
from multihop.server.schemas import QuestionBody, example_config
from multihop.server.service import service_of
from multihop.server.tokens import token_of
from multihop.types import LONGEST_QUESTION, Answer

_K = 21
_NOT_SURE = "I am not sure. The closest sentence is:"
_NOTHING = "Nothing in the documents answers this."
_SOURCE = re.compile(r"^\[\d+\] .* \((\S+#\d+)\)$", re.MULTILINE)
_MARKS = re.compile(r"\s*\[\d+\]")

routes = router("read", prefix="/v1", tags=["chat"])


class TextPart(BaseModel):
    """A part of a message; parts other than text are ignored."""

    type: str = "text"
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: Annotated[str, Field(max_length=50)]
    content: Annotated[str, Field(max_length=200_000)] | list[TextPart] | None = None

    @property
    def text(self) -> str:
        parts = self.content if isinstance(self.content, list) else []
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in parts)


class StreamOptions(BaseModel):
    """What a stream also sends."""

    include_usage: StrictBool | None = None


class ChatBody(BaseModel):
    """A conversation, and the index that answers. Settings of language models are accepted and ignored."""

    # Clients send whatever their settings offer, such as a temperature.
    model_config = ConfigDict(
        extra="ignore",
        **example_config({"model": "sample", "messages": [{"role": "user", "content": "Who drew the Fram?"}]}),
    )
    model: Annotated[str, Field(max_length=500, description="An index, by its name in GET /v1/indexes.")]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    stream: StrictBool = False
    stream_options: StreamOptions | None = None


class Citation(BaseModel):
    """A source of the answer, by the number that marks it in the text."""

    number: int
    passage: str
    title: str
    quote: str


class ChatReply(BaseModel):
    """The message of a completion."""

    role: Literal["assistant"]
    content: str


class ChatChoice(BaseModel):
    """The one choice of a completion."""

    index: int
    message: ChatReply
    finish_reason: Literal["stop"]


class ChatUsage(BaseModel):
    """Tokens of the messages and of the answer, estimated."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatOut(BaseModel):
    """A completion with citations."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage
    citations: list[Citation]


class ModelOut(BaseModel):
    """An index as a model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsOut(BaseModel):
    """The indexes that the token covers."""

    object: Literal["list"]
    data: list[ModelOut]


@routes.get("/models", response_model=ModelsOut, summary="List the indexes as models")
async def models(request: Request) -> dict[str, Any]:
    """List the indexes that the token covers, in the form of OpenAI's API."""
    visible = service_of(request).indexes.visible_to(token_of(request))
    rows = [{"id": each.name, "object": "model", "created": 0, "owned_by": "multihop"} for each in visible]
    return {"object": "list", "data": rows}


_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, server-sent events of its chunks.",
        "content": {"text/event-stream": {"itemSchema": {"type": "object", "required": ["data"]}}},
    }
}


@routes.post(
    "/chat/completions",
    response_model=ChatOut,
    responses={**TIMEOUT_RESPONSE, **_STREAMED},
    summary="Answer a conversation",
)
async def completions(body: ChatBody, request: Request) -> Response:
    """Answer the last message of a conversation from an index, with citations; `stream` sends it in chunks."""
    question, said = _conversation(body.messages)
    retrieval = retrieval_of(request, body.model, QuestionBody(question=question, k=_K))
    retrieval.check(question)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": body.model}

    def work(deadline: Deadline) -> Answer:
        engine = retrieval.served_index.engine
        talk = engine.conversation()
        for asked, answer in said:
            turn = _turn(asked, talk.resolve(asked, lm=False), answer)
            talk = replace(talk, turns=(*talk.turns, turn))
        understood = talk.understand(question)
        return understood.record(retrieval.answer(understood.question, deadline))

    if body.stream:
        asked = retrieval.service.questions.ask(work, request)
        return StreamingResponse(_chunks(asked, head, body), media_type="text/event-stream")
    answer = await retrieval.service.questions.ask(work, request)
    content, citations = _format_answer(answer)
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    whole = {**head, "object": "chat.completion", "choices": [choice], "citations": citations}
    whole["usage"] = _usage(body, content)
    return Response(json.dumps(whole, ensure_ascii=False), media_type="application/json")


def _conversation(messages: Sequence[ChatMessage]) -> tuple[str, list[tuple[str, str]]]:
    """Take the question from the last message of the user, and earlier ones with their answers."""
    asked = [place for place, message in enumerate(messages) if message.role == "user" and message.text.strip()]
    if not asked:
        raise Problem(422, "the messages have no text of the user; give a message with the role 'user'")
    *earlier, last = asked
    said = [
        (
            messages[place].text[:LONGEST_QUESTION],
            messages[place + 1].text if messages[place + 1].role == "assistant" else "",
        )
        for place in earlier[-REMEMBERED:]
    ]
    return messages[last].text[:LONGEST_QUESTION], said


def _turn(question: str, resolved: str, answer: str) -> Turn:
    """Read a turn from our own answer: its first line, and the passages that it cites."""
    first = _MARKS.sub("", answer.partition("\n")[0])
    said = "" if first in (_NOT_SURE, _NOTHING) else first
    return Turn(question, resolved, said, expected(resolved).kind if said else "", tuple(_SOURCE.findall(answer)))


def _format_answer(answer: Answer) -> tuple[str, list[dict[str, Any]]]:
    """Write an answer with numbered citations, and the sources below it."""
    quotes = [q for statement in answer.statements for q in statement.quotes] or [s.quote for s in answer.sentences[:3]]
    numbers = {id: number for number, id in enumerate(dict.fromkeys(q.passage_id for q in quotes), 1)}
    titles = {e.passage.id: one_line(e.passage.citation) for e in answer.result}
    lines = list(_lines(answer, numbers))
    cited = {q.passage_id: q.text for q in reversed(quotes)}
    citations = [
        {"number": number, "passage": id, "title": titles.get(id, id), "quote": cited[id]}
        for id, number in numbers.items()
    ]
    sources = [f"[{each['number']}] {each['title']} ({each['passage']})" for each in citations]
    return "\n".join([*lines, *(["", *sources] if sources else [])]), citations


def _lines(answer: Answer, numbers: dict[str, int]) -> Iterator[str]:
    def mark(text: str, ids: Sequence[str]) -> str:
        return one_line(text) + "".join(f" [{numbers[id]}]" for id in dict.fromkeys(ids) if id in numbers)

    if not answer.answered:
        yield _NOT_SURE if answer.sentences else _NOTHING
    else:
        yield mark(answer.text, [s.quote.passage_id for s in answer.sentences[:1]])
    for statement in answer.statements:
        if statement.supported:
            yield mark(statement.text, [q.passage_id for q in statement.quotes])
    if not answer.statements:
        for sentence in answer.sentences[:3]:
            yield mark(sentence.quote.text, [sentence.quote.passage_id])


def _usage(body: ChatBody, content: str) -> dict[str, int]:
    prompt, completion = estimate_tokens(" ".join(m.text for m in body.messages)), estimate_tokens(content)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


async def _chunks(asked: Any, head: dict[str, Any], body: ChatBody) -> AsyncIterator[str]:
    """Send the role at once, the lines of the answer when it is there, the citations last; the usage if asked for."""

    def row(choices: list[dict[str, Any]], **extra: Any) -> str:
        row = {**head, "object": "chat.completion.chunk", "choices": choices, **extra}
        return f"data: {json.dumps(row, ensure_ascii=False)}\n\n"

    def chunk(delta: dict[str, str], reason: str | None = None, **extra: Any) -> str:
        return row([{"index": 0, "delta": delta, "finish_reason": reason}], **extra)

    yield chunk({"role": "assistant", "content": ""})
    try:
        content, citations = _format_answer(await asked)
    except Problem as problem:
        # The status is sent already; clients read an error from the stream.
        yield f"data: {json.dumps(body_of(problem))}\n\n"
        return
    for line in content.splitlines(keepends=True):
        yield chunk({"content": line})
    yield chunk({}, "stop", citations=citations)
    if body.stream_options is not None and body.stream_options.include_usage:
        yield row([], usage=_usage(body, content))
    yield "data: [DONE]\n\n"
