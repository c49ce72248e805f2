"""Routes for feedback on answers, stored per index and exported as qrels; only with `multihop serve --feedback`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Request, Response
from pydantic import BaseModel, Field

from multihop.engine import Engine
from multihop.rendering.files import write_atomically
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import IndexName, QuestionText, RequestBody, example_config
from multihop.server.service import Service, served_index, service_of

_FOLDER = "feedback"
_MAX_PASSAGES = 50

giving = router("read", prefix="/v1/indexes/{index}", tags=["feedback"])
exporting = router("write", prefix="/v1/indexes/{index}", tags=["feedback"])


class FeedbackBody(RequestBody):
    """A question, passages of its answer, and whether they are right: they answer it or are needed to answer it."""

    model_config = example_config({
        "question": "Who designed the Fram?", "passages": ["fram-ship#0"], "rating": "right",
    })  # fmt: skip
    question: QuestionText
    passages: Annotated[list[str], Field(min_length=1, max_length=_MAX_PASSAGES, description="Ids of passages.")]
    rating: Literal["right", "wrong"]


class FeedbackOut(BaseModel):
    """The passages that are known to be right for the question."""

    question: str
    gold: list[str]


@giving.post("/feedback", response_model=FeedbackOut, summary="Rate the passages of an answer")
async def give(index: IndexName, body: FeedbackBody, request: Request) -> dict[str, Any]:
    """Store whether passages are right for a question; a later rating of a passage replaces an earlier one."""
    service, engine = service_of(request), served_index(request, index).engine
    folder = _folder(service, index)
    return await service.look_up(lambda: _store(folder, engine, body))


@exporting.get(
    "/feedback",
    response_class=Response,
    responses={200: {"content": {"application/jsonl": {"schema": {"type": "string"}}}, "description": "The qrels."}},
    summary="Export the feedback as qrels",
)
async def export(index: IndexName, request: Request) -> Response:
    """Return each question with the passages rated as right, one JSON object on each line."""
    service, engine = service_of(request), served_index(request, index).engine
    folder = _folder(service, index)
    return Response(await service.look_up(lambda: _qrels(folder, engine)), media_type="application/jsonl")


def _folder(service: Service, index: str) -> Path:
    if not service.settings.feedback:
        raise Problem(404, "this server collects no feedback; start it with --feedback")
    return service.settings.state / _FOLDER / quote(index, safe="")


def _store(folder: Path, engine: Engine, body: FeedbackBody) -> dict[str, Any]:
    known = [id for id in body.passages if id in engine.store.view().passages(body.passages)]
    if not known:
        raise Problem(404, f"there is no passage {body.passages[0][:80]!r} in this index")
    # A file for each question: several processes may write at the same time.
    file = folder / f"{hashlib.sha256(body.question.encode()).hexdigest()[:32]}.json"
    before = json.loads(file.read_text(encoding="utf-8"))["gold"] if file.exists() else []
    others = [id for id in before if id not in known]
    row = {"question": body.question, "gold": [*others, *known] if body.rating == "right" else others}
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(row, ensure_ascii=False) + "\n", private=True)
    return row


def _qrels(folder: Path, engine: Engine) -> str:
    """Return the stored rows, with the passages that exist and that the caller may see."""
    view, lines = engine.store.view(), []
    for file in sorted(folder.glob("*.json")):
        row = json.loads(file.read_text(encoding="utf-8"))
        visible = view.passages(row["gold"])
        if gold := [id for id in row["gold"] if id in visible]:
            lines.append(json.dumps({"question": row["question"], "gold": gold}, ensure_ascii=False) + "\n")
    return "".join(lines)
