"""Runs questions in a bounded thread pool with a bounded queue, each with a deadline.

The retrieval loop calls back after every hop. A question that is past its deadline, or whose client has disconnected,
ends there, so its thread is freed after at most one more hop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fastapi import Request

from multihop.server.problems import CLIENT_LEFT, RETRY, Problem
from multihop.server.settings import Limits

T = TypeVar("T")


class Deadline:
    """The deadline of a question, starting at its arrival and checked between hops.

    A deadline also expires with its parent.
    """

    def __init__(self, seconds: float, parent: Deadline | None = None) -> None:
        self.seconds = seconds
        self._parent = parent
        self.arrived = time.monotonic()
        # Set by the event loop and only read by the thread, so no lock is needed.
        self.client_left = False

    @property
    def remaining(self) -> float:
        return self.arrived + self.seconds - time.monotonic()

    def check(self) -> None:
        """Raise if the deadline has passed or the client has disconnected."""
        if self._parent is not None:
            self._parent.check()
        if self.client_left:
            raise Problem(CLIENT_LEFT, "the client has left")
        if self.remaining <= 0:
            raise self.timeout_problem()

    def timeout_problem(self) -> Problem:
        return Problem(504, f"the question took longer than the {self.seconds:g} seconds that this server allows")


class QuestionPool:
    """Runs questions in threads; its methods must be called from the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.concurrent, thread_name_prefix="question")
        self.under_way = 0

    def start(self, work: Callable[[Deadline], T], deadline: Deadline, *, accepted: bool = False) -> asyncio.Future[T]:
        """Queue the work of a question; raises if the queue is full, unless its batch was `accepted`."""
        if not accepted and self.under_way >= self._limits.concurrent + self._limits.queue:
            raise Problem(429, "too many questions are waiting; try again in a moment", RETRY)
        self.under_way += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, _run_before_deadline, work, deadline)
        future.add_done_callback(self._on_done)
        return future

    def _on_done(self, future: asyncio.Future[T]) -> None:
        self.under_way -= 1
        if not future.cancelled():
            # Retrieved here, so that asyncio does not report abandoned questions as never retrieved.
            future.exception()

    async def ask(self, work: Callable[[Deadline], T], request: Request) -> T:
        """Run the work in a thread and wait for it until the deadline or a disconnect."""
        [answer] = await self.ask_each([work], request)
        return answer

    async def ask_each(self, works: Sequence[Callable[[Deadline], T]], request: Request) -> list[T]:
        """Run several questions one after another.

        Each is queued separately, so that a batch delays other clients no longer than a single question.
        """
        # The batch gets the time of all its questions; each question also has its own deadline.
        deadline = Deadline(self._limits.seconds * len(works))
        disconnect = asyncio.ensure_future(_wait_for_disconnect(request))
        answers: list[T] = []
        try:
            for work in works:
                future = self.start(work, deadline, accepted=bool(answers))
                ends: set[asyncio.Future[Any]] = {future, disconnect}
                await asyncio.wait(ends, timeout=max(0.0, deadline.remaining), return_when=asyncio.FIRST_COMPLETED)
                if not future.done():
                    raise (
                        Problem(CLIENT_LEFT, "the client has left") if disconnect.done() else deadline.timeout_problem()
                    )
                answers.append(future.result())
            return answers
        finally:
            # A thread cannot be interrupted; it notices at its next hop.
            deadline.client_left = True
            disconnect.cancel()

    def close(self) -> None:
        """Wait for running questions."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _run_before_deadline(work: Callable[[Deadline], T], deadline: Deadline) -> T:
    # Time in the queue counts: do not start a question that is already too late.
    deadline.check()
    return work(deadline)


async def _wait_for_disconnect(request: Request) -> None:
    # The body has been read, so the next message is the disconnect.
    while (await request.receive())["type"] != "http.disconnect":
        pass
