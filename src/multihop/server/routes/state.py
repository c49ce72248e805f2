"""Routes for health, readiness and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from multihop.server.metrics import CONTENT_TYPE
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import Error, StateOut
from multihop.server.service import service_of
from multihop.server.tokens import token_of

routes = APIRouter(tags=["state"])
metrics_routes = router("metrics", tags=["state"])


@routes.get("/health", response_model=StateOut, summary="Check liveness")
async def health() -> dict[str, str]:
    """Return 200 as long as the process is running."""
    return {"status": "ok"}


@routes.get(
    "/ready",
    response_model=StateOut,
    responses={503: {"model": Error, "description": "not now"}},
    summary="Check readiness",
)
async def ready(request: Request) -> dict[str, str]:
    """Return 503 while the server is shutting down, an index cannot be read, or jobs cannot be started."""
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
    summary="Get metrics",
)
async def metrics(request: Request) -> Response:
    """Return Prometheus metrics; a token limited to some indexes gets only theirs."""
    service, token = service_of(request), token_of(request)

    def work() -> bytes:
        passages = {each.name: each.stats().passages for each in service.indexes}
        return service.metrics.text(
            under_way=service.questions.under_way, passages=passages, jobs=service.jobs.counts(), only=token.indexes
        )

    return Response(await service.look_up(work), media_type=CONTENT_TYPE)
