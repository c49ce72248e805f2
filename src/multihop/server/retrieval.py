"""Runs a question with deadline, metrics and tracing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from multihop.answering.lm import OnWords, Words
from multihop.errors import EmbeddingError, InvalidInput, NoVerdict
from multihop.server.indexes import ServedIndex
from multihop.server.problems import Problem
from multihop.server.question_pool import Deadline
from multihop.server.schemas import Batch, QuestionBody
from multihop.server.service import Service
from multihop.server.spans import OnHop
from multihop.strategies import STRATEGIES
from multihop.types import Answer, Hop, Note, Result, Verdict

T = TypeVar("T")
OnEvidence = Callable[[Result], None]
OnDraft = Callable[[Answer], None]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The questions of one request; `retrieve`, `answer` and `verdict` run in a thread."""

    service: Service
    served_index: ServedIndex
    body: QuestionBody | Batch
    headers: Mapping[str, str]
    token: str = ""
    """The hash of the token, for its share of the server; empty on an open server."""
    still_allowed: Callable[[], object] = lambda: None
    """Raises once the token has been revoked."""

    def check(self, longest: str) -> None:
        """Raise for requests beyond the server's limits, before they are queued."""
        limits = self.service.settings.limits
        if self.body.k > limits.k:
            raise Problem(422, f"k is {self.body.k}; at most {limits.k} passages are allowed")
        if len(longest) > limits.question:
            raise Problem(422, f"the question has {len(longest)} characters; at most {limits.question} are allowed")

    def retrieve(self, question: str, deadline: Deadline, on_hop: OnHop | None = None) -> Result:
        """Find the evidence for a question; stops early at the deadline or when the client disconnects."""
        # Called before the best candidates are re-ranked, which takes most of the time of a hop.
        ask = partial(self.served_index.engine.retrieve, on_evidence=lambda _: deadline.check())
        return self._run(ask, question, deadline, on_hop)

    def answer(
        self,
        question: str,
        deadline: Deadline,
        on_hop: OnHop | None = None,
        on_evidence: OnEvidence | None = None,
        on_draft: OnDraft | None = None,
        on_words: OnWords | None = None,
    ) -> Answer:
        """Answer a question from its evidence, with the same deadline."""

        # A model writes long after the last hop; check the deadline here too.
        def each_word(words: Words) -> None:
            deadline.check()
            if on_words is not None:
                on_words(words)

        def each_evidence(sofar: Result) -> None:
            deadline.check()
            if on_evidence is not None:
                on_evidence(sofar)

        each = each_word if on_words is not None else None
        ask = partial(self.served_index.engine.answer, on_evidence=each_evidence, on_draft=on_draft, on_words=each)
        return self._run(ask, question, deadline, on_hop)

    def verdict(self, claim: str, deadline: Deadline) -> Verdict:
        """Decide a claim from its evidence, with the same deadline."""
        try:
            return self._run(self.served_index.engine.verdict, claim, deadline, None)
        except NoVerdict as error:
            if not isinstance(error.result, Result):
                raise
            return Verdict(claim, "undecided", (), error.result, (Note("lm-failed", {}, str(error)),))

    def _run(self, ask: Callable[..., T], question: str, deadline: Deadline, on_hop: OnHop | None) -> T:
        # Unknown names share one metric label: clients could make up any number of them.
        strategy = self.body.strategy if self.body.strategy in STRATEGIES else "unknown"
        started, hops, outcome = time.perf_counter(), 0, "failed"
        spans = self.service.spans
        span_context = (
            spans.question(self.served_index.name, strategy, self.body.k, self.headers) if spans else nullcontext()
        )

        def each_hop(hop: Hop) -> None:
            nonlocal hops
            hops += 1
            if span is not None:
                span(hop)
            deadline.check()
            self.still_allowed()
            if on_hop is not None:
                on_hop(hop)

        try:
            with span_context as span:
                result = ask(self.body.request(question), on_hop=each_hop)
            outcome = "answered"
        except InvalidInput:
            outcome = "refused"
            raise
        # Without vectors the request is at fault; with them the embedder failed.
        except EmbeddingError:
            if self.served_index.engine.embedder is None:
                outcome = "refused"
                raise Problem(
                    422,
                    f"the strategy {strategy!r} needs vectors, and this index is served without any; choose another",
                ) from None
            raise
        # Only the deadline raises Problem here.
        except Problem:
            outcome = "given up"
            raise
        finally:
            seconds = time.perf_counter() - started
            self.service.metrics.question(self.served_index.name, strategy, outcome, seconds, hops)
        return result
