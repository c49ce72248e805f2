"""Route for conversations: a question with the turns before it; the server keeps nothing."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Request, Response
from pydantic import BaseModel, Field

from multihop.answering.conversation import Turn
from multihop.server.question_pool import Deadline
from multihop.server.router import router
from multihop.server.routes.retrieve import TIMEOUT_RESPONSE, retrieval_of
from multihop.server.schemas import Ids, IndexName, QuestionBody, RequestBody, example_config
from multihop.types import LONGEST_QUESTION, Answer

routes = router("read", asks=True, prefix="/v1/indexes/{index}", tags=["questions"])
_Text = Annotated[str, Field(max_length=LONGEST_QUESTION)]


class TurnBody(RequestBody):
    """A turn, as a response before returned it."""

    question: _Text
    resolved: _Text
    answer: _Text = ""
    kind: Annotated[str, Field(max_length=100)] = ""
    passages: Annotated[Ids, Field(max_length=1000, default_factory=list)]

    def turn(self) -> Turn:
        """Return the turn for the engine."""
        return Turn(self.question, self.resolved, self.answer, self.kind, tuple(self.passages))


class FollowUp(QuestionBody):
    """A question that may refer to the turns before it."""

    model_config = example_config({"question": "And when was he born?", "k": 5, "turns": []})
    turns: Annotated[
        list[TurnBody],
        Field(max_length=100, default_factory=list, description="The turns so far, the first one first."),
    ]


class TurnOut(BaseModel):
    """A turn: a question, how it was understood, its answer, and the passages that lead to it."""

    question: str
    resolved: str
    answer: str
    kind: str
    passages: list[str]


class FollowUpOut(BaseModel):
    """The answer, and the turn to send with the next question."""

    turn: TurnOut
    answer: Answer


@routes.post("/conversation", response_model=FollowUpOut, responses=TIMEOUT_RESPONSE, summary="Answer a follow-up")
async def conversation(index: IndexName, body: FollowUp, request: Request) -> Response:
    """Answer a question that may refer to earlier ones, such as "And when was she born?".

    Send the turns of the conversation; the response has the turn to append.
    """
    retrieval = retrieval_of(request, index, body)
    retrieval.check(body.question)

    def work(deadline: Deadline) -> bytes:
        talk = retrieval.served_index.engine.conversation(each.turn() for each in body.turns)
        understood = talk.understand(body.question, lm=None if body.lm else False)
        answered = understood.record(retrieval.answer(understood.question, deadline))
        turn = Turn.of(body.question, answered)
        return json.dumps({"turn": turn.to_dict(), "answer": answered.to_dict()}, ensure_ascii=False).encode()

    return Response(await retrieval.service.questions.ask(work, request), media_type="application/json")
