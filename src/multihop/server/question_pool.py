"""Runs questions in a bounded thread pool with a bounded queue, each with a deadline.

The retrieval loop calls back in every hop. A question that is past its deadline, or whose client has disconnected,
ends there, so its thread is freed after at most one more hop; one that still waits is not started at all.

Each token has a quota: a number of questions at once, and processor time per minute.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from fastapi import Request

from multihop.server.problems import CLIENT_LEFT, RETRY, Problem
from multihop.server.settings import ServerLimits
from multihop.server.tokens import token_of

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
        self.queued: Future[Any] | None = None

    @property
    def remaining(self) -> float:
        return self.arrived + self.seconds - time.monotonic()

    def leave(self) -> None:
        """Give the question up: one that still waits is not started, one that runs ends in its next hop."""
        self.client_left = True
        if self.queued is not None:
            self.queued.cancel()

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

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.concurrent, thread_name_prefix="question")
        self._by_token = Counter[str]()
        self._used = ProcessorTime(limits.token_seconds)

    @property
    def under_way(self) -> int:
        """The number of questions that run or wait."""
        return self._by_token.total()

    def start(
        self, work: Callable[[Deadline], T], deadline: Deadline, token: str = "", *, accepted: bool = False
    ) -> asyncio.Future[T]:
        """Queue the work of a question; raises if the queue or the share of its token is full.

        Questions of a batch that was `accepted` are not refused, nor are those without a token limited to a share.
        """
        if not accepted:
            self.check_room(token)
        self._by_token[token] += 1

        def run() -> T:
            # Time in the queue counts: do not start a question that is already too late.
            deadline.check()
            with self._used.measure(token):
                return work(deadline)

        deadline.queued = self._pool.submit(run)
        future = asyncio.wrap_future(deadline.queued)
        future.add_done_callback(partial(self._on_done, token))
        return future

    def check_room(self, token: str) -> None:
        """Raise if the queue or the share of a token is full."""
        if self.under_way >= self._limits.concurrent + self._limits.queue:
            raise Problem(429, "too many questions are waiting; try again in a moment", RETRY)
        if token and self._by_token[token] >= self._limits.token_questions:
            said = f"this token has {self._by_token[token]} questions waiting; ask again when some are answered"
            raise Problem(429, said, RETRY)
        if token and (seconds := self._used.wait(token)):
            said = f"this token has used {self._limits.token_seconds:g} seconds of processor time in a minute"
            raise Problem(429, f"{said}; try again in {seconds} s", {"Retry-After": str(seconds)})

    def _on_done(self, token: str, future: asyncio.Future[T]) -> None:
        self._by_token[token] -= 1
        if not self._by_token[token]:
            del self._by_token[token]
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
                future = self.start(work, deadline, token_of(request).sha256, accepted=bool(answers))
                ends: set[asyncio.Future[Any]] = {future, disconnect}
                await asyncio.wait(ends, timeout=max(0.0, deadline.remaining), return_when=asyncio.FIRST_COMPLETED)
                if not future.done():
                    raise (
                        Problem(CLIENT_LEFT, "the client has left") if disconnect.done() else deadline.timeout_problem()
                    )
                answers.append(future.result())
            return answers
        finally:
            deadline.leave()
            disconnect.cancel()

    def close(self) -> None:
        """Wait for running questions."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class ProcessorTime:
    """The processor time of the questions of each token: what it has used drains at the rate it is allowed."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._used: dict[str, tuple[float, float]] = {}

    @contextmanager
    def measure(self, token: str) -> Iterator[None]:
        """Charge a token for the processor time of this thread."""
        started = time.thread_time()
        try:
            yield
        finally:
            if token:
                self.charge(token, time.thread_time() - started)

    def charge(self, token: str, seconds: float) -> None:
        with self._lock:
            self._used[token] = self._time_left(token) + seconds, self._clock()

    def wait(self, token: str) -> int:
        """Return how many seconds a token has to wait; 0 within its share."""
        with self._lock:
            over = self._time_left(token) - self._per_minute
        return math.ceil(60 * over / self._per_minute) if over > 0 else 0

    def _time_left(self, token: str) -> float:
        used, at = self._used.get(token, (0.0, 0.0))
        return max(0.0, used - (self._clock() - at) * self._per_minute / 60)


async def _wait_for_disconnect(request: Request) -> None:
    # The body has been read, so the next message is the disconnect.
    while (await request.receive())["type"] != "http.disconnect":
        pass
