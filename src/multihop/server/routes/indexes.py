"""Routes for the indexes of the server, their statistics, and the strategies."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from multihop.server.problems import install_hint
from multihop.server.router import router
from multihop.server.schemas import IndexesOut, IndexName, StatsOut, StrategiesOut
from multihop.server.service import served_index, service_of
from multihop.server.tokens import token_of
from multihop.strategies import STRATEGIES, strategy
from multihop.types import plain

DEFAULT = "auto"

routes = router("read", prefix="/v1", tags=["indexes"])


@routes.get("/indexes", response_model=IndexesOut, summary="List the indexes")
async def indexes(request: Request) -> dict[str, Any]:
    """List the indexes that the token covers, with their size."""
    service, token = service_of(request), token_of(request)
    described = await service.look_up(lambda: [each.describe() for each in service.indexes.visible_to(token)])
    return {"indexes": described}


@routes.get("/strategies", response_model=StrategiesOut, summary="List the strategies")
async def strategies(request: Request) -> dict[str, Any]:
    """List the available strategies and the language model they use."""
    model = service_of(request).lm
    known = [strategy(name, lm=model is not None) for name in STRATEGIES]
    listed = [
        {
            "name": s.name, "description": s.description, "needs_vectors": s.requirements.vectors,
            "install": install_hint(extra) if (extra := s.requirements.missing_extra()) else None,
        }
        for s in known
    ]  # fmt: skip
    return {"strategies": listed, "default": DEFAULT, "language_model": model.name if model else None}


@routes.get("/indexes/{index}/stats", response_model=StatsOut, summary="Get the statistics of an index")
async def stats(index: IndexName, request: Request) -> dict[str, Any]:
    """Return the numbers of documents, passages, names, mentions and vectors of an index, and its size on disk."""
    each = served_index(request, index)
    counted = await service_of(request).look_up(each.stats)
    return {"name": each.name, "writable": each.writable, **plain(counted)}
