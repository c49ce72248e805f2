"""Whether the server lives and whether it takes questions, for whatever watches over it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from multihop.server.metrics import CONTENT_TYPE
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import Error, StateOut
from multihop.server.service import service_of, token_of

routes = APIRouter(tags=["state"])
metrics_routes = router("metrics", tags=["state"])


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
    """Answer with 503 while the server is shutting down, an index cannot be read or jobs cannot be begun."""
    service = service_of(request)
    if service.closing:
        raise Problem(503, "the server is shutting down")
    service.jobs.check_working()
    await service.look_up(lambda: [each.engine.refresh() for each in service.indexes])
    return {"status": "ready"}


@metrics_routes.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The metrics."}},
    summary="Count what happened",
)
async def metrics(request: Request) -> Response:
    """Give the metrics of this server in the form that Prometheus reads; a token for some indexes gets theirs alone."""
    service, token = service_of(request), token_of(request)

    def work() -> bytes:
        passages = {each.name: each.stats().passages for each in service.indexes}
        return service.metrics.text(
            under_way=service.questions.under_way, passages=passages, jobs=service.jobs.counts(), only=token.indexes
        )

    return Response(await service.look_up(work), media_type=CONTENT_TYPE)
