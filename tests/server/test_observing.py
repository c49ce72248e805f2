"""What a server tells about itself: metrics and spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from multihop.server import spans

from .conftest import Serve

RETRIEVE = "/v1/indexes/sample/retrieve"
ASKED = {"question": "Who drew the ship that Amundsen borrowed?", "k": 3}


def _samples(client: TestClient) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {(s.name, *sorted(s.labels.values())): s.value for f in families for s in f.samples}


def test_requests_and_questions_are_counted(client: TestClient) -> None:
    hops = len(client.post(RETRIEVE, json=ASKED).json()["trace"]["hops"])
    client.post(RETRIEVE, json=ASKED | {"strategy": "made-up"})
    client.post(f"{RETRIEVE}/stream", json=ASKED | {"where": {"nope": 1}})
    client.get("/v1/indexes/none/stats")
    client.get("/made/up/address")
    found = _samples(client)
    route = "/v1/indexes/{index}/retrieve"
    assert found["multihop_requests_total", route, "200", "POST"] == 1
    assert found["multihop_requests_total", route, "422", "POST"] == 1
    assert found["multihop_requests_total", "/v1/indexes/{index}/stats", "404", "GET"] == 1
    assert found["multihop_request_seconds_count", route] == 2
    assert found["multihop_questions_total", "answered", "auto", "sample"] == 1
    assert found["multihop_questions_total", "auto", "refused", "sample"] == 1
    assert found["multihop_questions_total", "refused", "sample", "unknown"] == 1
    assert found["multihop_hops_total", "auto", "sample"] == hops
    assert found["multihop_index_passages", "sample"] == 182
    assert found["multihop_jobs", "sample", "waiting"] == found["multihop_questions_under_way",] == 0
    assert not any("made" in label for labels in found for label in labels)


def test_each_hop_is_a_span_of_its_question(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(spans, "_provider", lambda: provider)
    client = serve(spans=True)
    caller = "0af7651916cd43dd8448eb211c80319c"
    headers = {"traceparent": f"00-{caller}-b7ad6b7169203331-01"}
    hops = client.post(RETRIEVE, json=ASKED, headers=headers).json()["trace"]["hops"]
    *inner, outer = exporter.get_finished_spans()
    assert [s.name for s in inner] == [f"multihop.hop {hop['number']}" for hop in hops]
    assert outer.name == "multihop.retrieve"
    assert outer.attributes == {"multihop.index": "sample", "multihop.strategy": "auto", "multihop.k": 3}
    assert all(s.parent is not None and outer.context is not None for s in inner)
    assert {s.parent.span_id for s in inner if s.parent} == {outer.context.span_id if outer.context else 0}
    assert {f"{s.context.trace_id:032x}" for s in (*inner, outer) if s.context} == {caller}
    assert [dict(s.attributes or {})["multihop.pool"] for s in inner] == [hop["pool"] for hop in hops]


def test_nothing_of_the_inside_is_told_when_something_breaks(serve: Serve, tmp_path: Path) -> None:
    client = serve()
    client.app.app.state.service.indexes.get("sample").engine.close()  # type: ignore[attr-defined]  # behind the middleware
    for answer in (client.post(RETRIEVE, json=ASKED), client.get("/v1/indexes/sample/documents/fram-ship")):
        assert answer.status_code == 500
        assert answer.json() == {
            "error": {"status": 500, "message": "the index cannot be read; see the log of the server"}
        }
        assert "Traceback" not in answer.text
        assert str(tmp_path) not in answer.text


def test_an_error_that_nobody_thought_of(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks() -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(client.app.app.state.service.jobs, "all", lambda _: breaks())  # type: ignore[attr-defined]
    answer = client.get("/v1/jobs")
    assert answer.json() == {"error": {"status": 500, "message": "internal server error; see the log of the server"}}
    assert answer.headers["x-content-type-options"] == "nosniff"
