"""Prometheus metrics of a running server."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MULTIPROCESS_DIR = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the folder shared by all processes, as prometheus_client expects it."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Metrics of one process; `text` returns those of all processes of the server."""

    def __init__(self) -> None:
        # Not the global registry, which would reject the metrics of a second application.
        registry = self._registry = CollectorRegistry()
        self._requests = Counter(
            "multihop_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "multihop_request_seconds", "Time to the end of the answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self._questions = Counter(
            "multihop_questions", "Questions by index, strategy and how they ended.",
            ["index", "strategy", "outcome"], registry=registry,
        )  # fmt: skip
        self._question_seconds = Histogram(
            "multihop_question_seconds", "Time of the engine for a question.", ["index", "strategy"],
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._hops = Counter("multihop_hops", "Hops of all questions.", ["index", "strategy"], registry=registry)
        # Summed over live processes; the gauges below are the same in every process, so the latest value is used.
        self._under_way = Gauge(
            "multihop_questions_under_way",
            "Questions worked on or waiting.",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._passages = Gauge(
            "multihop_index_passages",
            "Passages of an index.",
            ["index"],
            multiprocess_mode="mostrecent",
            registry=registry,
        )
        self._jobs = Gauge(
            "multihop_jobs",
            "Jobs by index and state.",
            ["index", "state"],
            multiprocess_mode="mostrecent",
            registry=registry,
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def question(self, index: str, strategy: str, outcome: str, seconds: float, hops: int) -> None:
        self._questions.labels(index, strategy, outcome).inc()
        # Refused and abandoned questions would distort the latency.
        if outcome == "answered":
            self._question_seconds.labels(index, strategy).observe(seconds)
            self._hops.labels(index, strategy).inc(hops)

    def text(
        self,
        *,
        under_way: int,
        passages: Mapping[str, int],
        jobs: Mapping[tuple[str, str], int],
        only: Collection[str] | None = None,
    ) -> bytes:
        """Export all metrics with current gauges, or `only` those of some indexes."""
        self._under_way.set(under_way)
        for index, count in passages.items():
            self._passages.labels(index).set(count)
        for index in {*passages, *(index for index, _ in jobs)}:
            # All states, so that a state without jobs goes back to zero.
            for state in ("waiting", "running", "done", "failed", "stopped"):
                self._jobs.labels(index, state).set(jobs.get((index, state), 0))
        registry = self._registry
        if os.environ.get(MULTIPROCESS_DIR):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
        return generate_latest(registry if only is None else _IndexMetrics(registry, only))


class _IndexMetrics(CollectorRegistry):
    """The metrics of some indexes; metrics of the whole server are omitted."""

    def __init__(self, whole: CollectorRegistry, indexes: Collection[str]) -> None:
        super().__init__()
        self._whole = whole
        self._indexes = indexes

    def collect(self) -> Iterator[Metric]:
        for family in self._whole.collect():
            samples = [sample for sample in family.samples if sample.labels.get("index") in self._indexes]
            if samples:
                # A copy, because the metric may belong to the registry.
                part = Metric(family.name, family.documentation, family.type, family.unit)
                part.samples = samples
                yield part
