"""The application: routes, what stands before them, and what begins and ends with the process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from multihop import __version__
from multihop.server import problems
from multihop.server.routes import documents, examples, graph, indexes, page, retrieve, state
from multihop.server.service import Service
from multihop.server.settings import Settings

_DESCRIPTION = "Finds the passages that together answer a question, over several hops, and says why each is there."


def application(settings: Settings) -> FastAPI:
    """Make the application of one process; it opens the indexes when it starts and lets go of them when it ends."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = Service(settings)
        try:
            yield
        finally:
            service.close()

    app = FastAPI(
        title="multihop", version=__version__, description=_DESCRIPTION, lifespan=life, docs_url=None, redoc_url=None
    )
    problems.install(app)
    for routes in (
        state.routes, indexes.routes, retrieve.routes, examples.routes, graph.routes, documents.reading, documents.writing, page.routes,
    ):  # fmt: skip
        app.include_router(routes)
    return app
