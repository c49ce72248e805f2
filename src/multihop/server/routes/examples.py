"""Questions to begin with, for an index that holds the sample documents."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel

from multihop.engine import Engine
from multihop.server.guard import router
from multihop.server.schemas import IndexName
from multihop.server.service import served, service_of
from multihop.testing import sample_questions

_OFFERED = ("q01", "q31", "q43", "q10", "q16", "q50")
"""Chains of two, three and four hops, a claim, a comparison, a question of several aspects."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


class ExampleOut(BaseModel):
    """A claim or question, its type, and how many documents have to be put together for it."""

    text: str
    kind: str
    type: str
    hops: int


class ExamplesOut(BaseModel):
    """Questions that the index can answer; none where it is not known what it holds."""

    examples: list[ExampleOut]


@routes.get("/examples", response_model=ExamplesOut, summary="Questions to begin with")
async def examples(index: IndexName, request: Request) -> dict[str, Any]:
    """Offer questions that this index holds the evidence for; only the sample documents have any."""
    engine = served(request, index).engine
    return {"examples": await service_of(request).look_up(lambda: _answerable(engine))}


def _answerable(engine: Engine) -> list[dict[str, Any]]:
    known = {q.id: q for q in sample_questions()}
    view = engine.store.view()
    there = view.passages_of({d for id in _OFFERED for d in known[id].gold}, 1)
    return [
        {"text": q.text, "kind": q.kind, "type": q.type, "hops": q.hops}
        for q in (known[id] for id in _OFFERED)
        if all(there.get(document) for document in q.gold)
    ]
