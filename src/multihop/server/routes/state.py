"""Whether the server lives and whether it takes questions, for whatever watches over it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from multihop.server.problems import Problem
from multihop.server.schemas import Error, StateOut
from multihop.server.service import service_of

routes = APIRouter(tags=["state"])


@routes.get("/health", response_model=StateOut, summary="Does the server live?")
async def health() -> dict[str, str]:
    """Answer as long as the process lives."""
    return {"status": "ok"}


@routes.get(
    "/ready",
    response_model=StateOut,
    responses={503: {"model": Error, "description": "not now"}},
    summary="Does the server take questions?",
)
async def ready(request: Request) -> dict[str, str]:
    """Answer with 503 while the server is shutting down or an index cannot be read."""
    service = service_of(request)
    if service.closing:
        raise Problem(503, "the server is shutting down")
    await service.look_up(lambda: [each.engine.refresh() for each in service.indexes])
    return {"status": "ready"}
