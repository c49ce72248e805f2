"""OpenTelemetry tracing: a span per question with a child span per hop. Optional, and imported only if enabled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from multihop.errors import needs_extra
from multihop.types import Hop

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

OnHop = Callable[[Hop], None]


class Spans:
    """Writes spans to a provider: the one given, the global one, or an OTLP exporter."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        with needs_extra("Spans", "otel"):
            from opentelemetry import propagate
        self._extract = propagate.extract
        self._provider = provider or _provider()
        self._tracer = self._provider.get_tracer("multihop.server")

    @contextmanager
    def question(self, index: str, strategy: str, k: int, headers: Mapping[str, str]) -> Iterator[OnHop]:
        """Open a span for a question, continuing the trace in its headers; yields a callback for every hop."""
        attributes: dict[str, str | int] = {"multihop.index": index, "multihop.strategy": strategy, "multihop.k": k}
        with self._tracer.start_as_current_span(
            "multihop.retrieve", context=self._extract(headers), attributes=attributes
        ):
            began = time.time_ns()

            def record(hop: Hop) -> None:
                nonlocal began
                ended = time.time_ns()
                # Called when a hop has ended, so its span starts where the previous one ended.
                span = self._tracer.start_span(f"multihop.hop {hop.number}", start_time=began)
                span.set_attributes(_attributes(hop))
                span.end(end_time=ended)
                began = ended

            yield record

    def close(self) -> None:
        """Flush pending spans."""
        # Not part of the provider interface; only exporting providers have it.
        flush = getattr(self._provider, "force_flush", None)
        if flush is not None:
            flush()


def _attributes(hop: Hop) -> dict[str, str | int | float]:
    stages = {f"multihop.seconds.{stage}": round(seconds, 6) for stage, seconds in hop.seconds.items()}
    return {
        "multihop.hop": hop.number, "multihop.queries": len(hop.found), "multihop.new": sum(f.new for f in hop.found),
        "multihop.pool": hop.pool, "multihop.entered": len(hop.entered), "multihop.left": len(hop.left),
        "multihop.coverage": round(hop.coverage_after.fraction, 6), "multihop.decision": hop.decision.reason, **stages,
    }  # fmt: skip


def _provider() -> TracerProvider:
    from opentelemetry import trace

    known = trace.get_tracer_provider()
    # The proxy is the default if none was configured.
    if not isinstance(known, trace.ProxyTracerProvider):
        return known
    with needs_extra("Sending spans", "otel"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    # The endpoint comes from the standard OTEL_EXPORTER_OTLP_… variables.
    provider = TracerProvider(resource=Resource.create({"service.name": "multihop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
