"""The components of a running server, accessible from every route."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from fastapi import Request

from multihop.server import surveys, syncs, uploads
from multihop.server.indexes import Indexes, ServedIndex
from multihop.server.jobs import Jobs
from multihop.server.metrics import Metrics
from multihop.server.problems import RETRY, Problem
from multihop.server.question_pool import QuestionPool
from multihop.server.settings import Settings
from multihop.server.spans import Spans
from multihop.server.tokens import TokenStore, token_of

if TYPE_CHECKING:
    from multihop.server.oidc import Provider

T = TypeVar("T")


def provider_of(settings: Settings) -> Provider | None:
    """Return what verifies the tokens of the sign-in provider, if one is configured."""
    if settings.oidc is None:
        return None
    from multihop.server.oidc import Provider  # needs an extra

    return Provider(settings.oidc)


class Service:
    """Everything with the lifetime of the server."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self.metrics = metrics
        self.spans = Spans() if settings.spans else None
        self.token_store = TokenStore(settings.tokens) if settings.tokens else None
        self.oidc = provider_of(settings)
        self.lm = settings.lm.open() if settings.lm else None
        self.indexes = Indexes(settings.indexes, together=settings.together, read_only=settings.read_only, lm=self.lm)
        self.questions = QuestionPool(settings.limits)
        self.jobs = Jobs(
            settings.state,
            {
                uploads.KIND: uploads.upload_work(self.indexes),
                surveys.KIND: surveys.survey_work(self.indexes),
                syncs.KIND: syncs.sync_work(self.indexes, settings.folders),
            },
        )
        self.closing = False
        # Lookups and small writes have their own threads, so that they never wait for questions.
        self._lookups = _Threads("lookup", 4, waiting=256)
        self._writes = _Threads("write", 2, waiting=32)
        # Needs no token and waits for the provider, so it must not hold up what needs one.
        self._sign_ins = _Threads("sign-in", 2, waiting=32)

    async def look_up(self, work: Callable[[], T]) -> T:
        """Run a short read in a thread."""
        return await self._lookups.do(work)

    async def write(self, work: Callable[[], T]) -> T:
        """Run a small write in a thread."""
        return await self._writes.do(work)

    async def sign_in(self, work: Callable[[], T]) -> T:
        """Run a step of signing in, in a thread."""
        return await self._sign_ins.do(work)

    def close(self) -> None:
        """Finish running work, then close the indexes."""
        self.closing = True
        self.jobs.close()
        self.questions.close()
        self._lookups.close()
        self._writes.close()
        self._sign_ins.close()
        self.indexes.close()
        if self.spans:
            self.spans.close()


class _Threads:
    """A few threads for short work, with a bounded queue."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + waiting
        self._under_way = 0

    async def do(self, work: Callable[[], T]) -> T:
        if self._under_way >= self._most:
            raise Problem(429, "too many requests are waiting; try again in a moment", RETRY)
        # Only changed in the event loop, so no lock is needed.
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._under_way -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=True)


def service_of(request: Request) -> Service:
    """Return the service that handles a request."""
    service: Service = request.app.state.service
    return service


def served_index(request: Request, name: str) -> ServedIndex:
    """Find an index by name among those that the token of the request covers."""
    served: ServedIndex | None = getattr(request.state, "served", None)
    if served is not None and served.name == name:
        return served
    return service_of(request).indexes.get(name, token_of(request))
