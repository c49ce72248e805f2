"""The application: routes, middleware, and startup and shutdown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import cache, partial
from threading import Lock
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import Lifespan

from multihop.server import problems
from multihop.server.metrics import Metrics
from multihop.server.middleware import Middleware
from multihop.server.routes import (
    answer,
    chat,
    conversation,
    docs,
    documents,
    examples,
    feedback,
    files,
    graph,
    indexes,
    jobs,
    memory,
    neighborhood,
    page,
    reports,
    research,
    retrieve,
    sign_in,
    state,
    surveys,
    tools,
    views,
)
from multihop.server.service import Service
from multihop.server.settings import ServerLimits, Settings

VERSION = "1.0"
"""The version of the API, which is not that of the package."""
_GENERATING = Lock()
"""Held while the OpenAPI description is generated: several threads may ask for it."""
_DESCRIPTION = "Finds the passages that together answer a question, over several hops, and says why each is there."


def application(settings: Settings) -> Middleware:
    """Create the application of one process; it opens the indexes at startup and closes them at shutdown."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = Service(settings, metrics)
        try:
            yield
        finally:
            service.close()

    app = _make_app(lifespan)
    problems.install_handlers(app)
    app.openapi = partial(_openapi, app, settings.limits)  # type: ignore[method-assign]  # as FastAPI recommends
    if settings.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=settings.origins, allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
        )  # fmt: skip
    return Middleware(app, settings, metrics)


def _make_app(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Create an application with all routes, which several may share."""
    # Not FastAPI's own API pages, which load scripts from another host; ours are in routes/docs.py.
    app = FastAPI(title="multihop", version=VERSION, description=_DESCRIPTION, lifespan=lifespan, openapi_url=None)
    # The page comes last, because its route matches every remaining path.
    for routes in (
        state.routes, state.metrics_routes, docs.routes, reports.routes, indexes.routes, retrieve.routes,
        answer.routes, chat.routes, memory.reading, memory.writing, tools.routes, conversation.routes,
        research.routes, examples.routes, graph.routes, neighborhood.routes, views.routes, surveys.reading,
        surveys.writing, documents.reading, documents.writing, documents.uploading, files.routes, jobs.reading,
        jobs.writing, feedback.giving, feedback.exporting, sign_in.routes,
        page.routes,
    ):  # fmt: skip
        # Not include_router, which would rebuild every model of every route for each application.
        app.router.routes.extend(routes.routes)
    return app


@cache
def _description() -> dict[str, Any]:
    """Generate the OpenAPI description once: it takes half a second, and only the limits differ between servers."""
    return _make_app().openapi()


def _openapi(app: FastAPI, limits: ServerLimits) -> dict[str, Any]:
    """Return the OpenAPI description, with the limits of this server."""
    with _GENERATING:
        if app.openapi_schema is None:
            app.openapi_schema = _with_limits(deepcopy(_description()), limits)
        return app.openapi_schema


def _with_limits(description: dict[str, Any], limits: ServerLimits) -> dict[str, Any]:
    """Put the limits of a server into the OpenAPI description."""
    schemas = description["components"]["schemas"]
    batch = schemas["Batch"]["properties"]
    batch["k"]["maximum"] = limits.k
    batch["questions"] |= {
        "maxItems": limits.batch,
        "items": batch["questions"]["items"] | {"maxLength": limits.question},
    }
    for asked in (
        schemas[name]["properties"] for name in ("Question", "CompactSearch", "FollowUp", "ResearchBody", "RecallBody")
    ):
        asked["k"]["maximum"] = limits.k
        asked["question"]["maxLength"] = limits.question
    return description
