"""One question of one client: the engine, watched between hops, counted and spanned."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from multihop.errors import EmbeddingError, InvalidInput
from multihop.server.indexes import Served
from multihop.server.problems import Problem
from multihop.server.questions import Deadline
from multihop.server.schemas import Asked
from multihop.server.service import Service
from multihop.server.spans import no_spans
from multihop.strategies import STRATEGIES
from multihop.types import Hop, Result


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How the questions of one request are asked; `answer` runs in a thread."""

    service: Service
    served: Served
    asked: Asked
    headers: Mapping[str, str]

    def check(self, longest: str) -> None:
        """Refuse what this server does not allow, before it takes a place in the queue."""
        limits = self.service.settings.limits
        if self.asked.k > limits.k:
            raise Problem(422, f"k is {self.asked.k}; at most {limits.k} passages are allowed")
        if len(longest) > limits.question:
            raise Problem(422, f"the question has {len(longest)} characters; at most {limits.question} are allowed")

    def answer(self, question: str, deadline: Deadline, on_hop: Callable[[Hop], None] | None = None) -> Result:
        """Answer a question; it ends early when nobody waits for it any more."""
        # Names that do not exist are not counted one by one: a client could make up any number of them.
        strategy = self.asked.strategy if self.asked.strategy in STRATEGIES else "unknown"
        started, hops, outcome = time.perf_counter(), 0, "failed"
        spans = self.service.spans
        around = spans.question(self.served.name, strategy, self.asked.k, self.headers) if spans else no_spans()
        try:
            with around as span:

                def each_hop(hop: Hop) -> None:
                    nonlocal hops
                    hops += 1
                    span(hop)
                    deadline.check()
                    if on_hop is not None:
                        on_hop(hop)

                result = self.served.engine.retrieve(
                    question, k=self.asked.k, strategy=self.asked.strategy, **self.asked.filters(), on_hop=each_hop
                )
            outcome = "answered"
        except InvalidInput:
            outcome = "refused"
            raise
        except EmbeddingError:
            if self.served.engine.embedder is None:
                outcome = "refused"
                raise Problem(
                    422,
                    f"the strategy {strategy!r} needs vectors, and this index is served without any; choose another",
                ) from None
            raise
        except Problem:
            outcome = "given up"
            raise
        finally:
            seconds = time.perf_counter() - started
            self.service.metrics.question(self.served.name, strategy, outcome, seconds, hops)
        return result
