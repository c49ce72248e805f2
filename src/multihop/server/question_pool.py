"""Questions under way: a bounded pool of threads, a bounded queue before it, and an end for each of them.

The loop calls back after every hop. That is where a question ends whose time is over or whose client has left, so a
thread is given back after at most one hop more.
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
    """Says whether a question may still go on; made when it arrives, asked between its hops.

    The deadline of a part of the work is also over when the one around it is.
    """

    def __init__(self, seconds: float, parent: Deadline | None = None) -> None:
        self.seconds = seconds
        self._parent = parent
        self.arrived = time.monotonic()
        # Set by the event loop and only read by the thread, so it needs no lock.
        self.client_left = False

    @property
    def remaining(self) -> float:
        return self.arrived + self.seconds - time.monotonic()

    def check(self) -> None:
        """Raise when nobody waits for the answer any more."""
        if self._parent is not None:
            self._parent.check()
        if self.client_left:
            raise Problem(CLIENT_LEFT, "the client has left")
        if self.remaining <= 0:
            raise self.timeout_problem()

    def timeout_problem(self) -> Problem:
        return Problem(504, f"the question took longer than the {self.seconds:g} seconds that this server allows")


class QuestionPool:
    """Runs the work of questions in threads; its own methods belong to the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.concurrent, thread_name_prefix="question")
        self.under_way = 0

    def start(self, work: Callable[[Deadline], T], deadline: Deadline, *, accepted: bool = False) -> asyncio.Future[T]:
        """Queue the work of a question, or refuse it when too many wait already, unless its batch was accepted."""
        if not accepted and self.under_way >= self._limits.concurrent + self._limits.queue:
            raise Problem(429, "too many questions are waiting; try again in a moment", RETRY)
        self.under_way += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, _run_before_deadline, work, deadline)
        future.add_done_callback(self._on_done)
        return future

    def _on_done(self, future: asyncio.Future[T]) -> None:
        self.under_way -= 1
        if not future.cancelled():
            # Read here, so that a question given up by its client is not reported as forgotten.
            future.exception()

    async def ask(self, work: Callable[[Deadline], T], request: Request) -> T:
        """Do the work in a thread and wait for it, but only while the client is there and its time is not over."""
        [answer] = await self.ask_each([work], request)
        return answer

    async def ask_each(self, works: Sequence[Callable[[Deadline], T]], request: Request) -> list[T]:
        """Do the work of several questions one after another.

        Each of them queues behind what others have asked meanwhile, so that a batch holds up nobody longer than one
        question does.
        """
        # The batch has the time of all its questions, and each of them its own within that.
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
            # A thread cannot be interrupted; it finds out at its next hop.
            deadline.client_left = True
            disconnect.cancel()

    def close(self) -> None:
        """Wait for what is under way."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _run_before_deadline(work: Callable[[Deadline], T], deadline: Deadline) -> T:
    # Time spent in the queue counts: an answer that comes too late is not even begun.
    deadline.check()
    return work(deadline)


async def _wait_for_disconnect(request: Request) -> None:
    # The body has been read, so what comes next is the end of the connection.
    while (await request.receive())["type"] != "http.disconnect":
        pass
