"""The parts of a running server, in one place that every route can reach."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fastapi import Request

from multihop.server import uploads
from multihop.server.indexes import Indexes, Served
from multihop.server.jobs import Jobs
from multihop.server.metrics import Metrics
from multihop.server.questions import Questions
from multihop.server.settings import Settings
from multihop.server.spans import Spans
from multihop.server.tokens import Keys

T = TypeVar("T")
_READERS = 4


class Service:
    """Everything that lives as long as the server."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self.metrics = metrics
        self.spans = Spans() if settings.spans else None
        self.keys = Keys(settings.tokens) if settings.tokens else None
        self.indexes = Indexes(settings.indexes, read_only=settings.read_only)
        self.questions = Questions(settings.limits)
        self.jobs = Jobs(settings.state, {uploads.KIND: uploads.adding(self.indexes)})
        self.closing = False
        # Looking things up and small writes do not take the threads of questions, and never wait for them.
        self._lookups = ThreadPoolExecutor(_READERS, thread_name_prefix="lookup")
        self._writes = ThreadPoolExecutor(2, thread_name_prefix="write")

    async def look_up(self, work: Callable[[], T]) -> T:
        """Do short reading work in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._lookups, work)

    async def write(self, work: Callable[[], T]) -> T:
        """Do a small write in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._writes, work)

    def close(self) -> None:
        """Finish what is under way, then let go of the indexes."""
        self.closing = True
        self.jobs.close()
        self.questions.close()
        self._lookups.shutdown(wait=True)
        self._writes.shutdown(wait=True)
        self.indexes.close()
        if self.spans:
            self.spans.close()


def service_of(request: Request) -> Service:
    """Find the parts of the server that a request came to."""
    service: Service = request.app.state.service
    return service


def served(request: Request, name: str) -> Served:
    """Find an index by the name in the path."""
    return service_of(request).indexes.named(name)
