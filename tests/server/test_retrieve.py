from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop.engine import Engine
from multihop.server.settings import Location
from multihop.strategies import STRATEGIES

from ..answering.test_conflicts import PAY, TRAVEL
from ..index.test_validity import LEADERS
from .conftest import Serve

QUESTION = "Who drew the ship that Amundsen borrowed?"
RETRIEVE = "/v1/indexes/sample/retrieve"


def events(text: str) -> list[tuple[str, Any]]:
    """Take a stream of server-sent events apart."""
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k != "seconds"}
    return [untimed(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("strategy", ["auto", "replace", "aspects", "bm25"])
def test_an_answer_is_that_of_the_engine(client: TestClient, sample: Engine, strategy: str) -> None:
    body = {"question": QUESTION, "k": 4, "strategy": strategy, "where": {"topic": "polar exploration"}}
    answer = client.post(RETRIEVE, json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    direct = sample.retrieve(QUESTION, k=4, strategy=strategy, where={"topic": "polar exploration"})
    assert untimed(answer.json()) == direct.to_dict(timing=False)
    assert len(answer.json()["evidence"]) == 4


def test_days_and_sources_that_disagree(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add((*TRAVEL, *LEADERS))
    client = serve(indexes=(Location("sample", str(tmp_path / "x.mh")),))
    [conflict] = client.post(RETRIEVE, json={"question": PAY}).json()["conflicts"]
    assert (conflict["kind"], conflict["newer"], conflict["values"]) == ("number", "t2#0", ["30", "45"])
    assert conflict["dates"] == ["2021-03-01", "2024-05-03"]
    found = client.post("/v1/indexes/sample/answer", json={"question": PAY}).json()
    assert "conflict" in [note["code"] for note in found["notes"]]
    body = {"question": "Who leads Kittiwake?", "as_of": "2024-05-02"}
    before = client.post("/v1/indexes/sample/answer", json=body).json()
    assert (before["text"], before["result"]["as_of"]) == ("Pia Holm", "2024-05-02")
    for route in ("retrieve", "research"):
        wrong = client.post(f"/v1/indexes/sample/{route}", json=body | {"as_of": "2024-02-30"})
        assert (wrong.status_code, "as_of is a day such as 2024-05-03" in wrong.text) == (422, True)


def test_exact_search_and_research_as_of_a_day(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(LEADERS)
    client = serve(indexes=(Location("sample", str(tmp_path / "x.mh")),))
    for day, leader in (("2024-05-02", "Pia Holm"), ("2024-05-03", "Jon Berg")):
        found = client.post("/v1/indexes/sample/grep", json={"pattern": "led by", "as_of": day}).json()
        assert [match["text"] for match in found["matches"]] == [f"Kittiwake is led by {leader}."]
        body = {"question": "By whom is Kittiwake led?", "as_of": day}
        report = client.post("/v1/indexes/sample/research", json=body).json()["markdown"]
        assert [name for name in ("Pia Holm", "Jon Berg") if f"led by {name}" in report] == [leader]


def test_a_stream_tells_each_hop_and_then_the_result(client: TestClient, sample: Engine) -> None:
    answer = client.post(f"{RETRIEVE}/stream", json={"question": QUESTION, "k": 3})
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.text)
    result = sample.retrieve(QUESTION, k=3).to_dict(timing=False)
    assert [name for name, _ in told] == ["hop"] * len(result["trace"]["hops"]) + ["result"]
    titles = [hop.pop("titles") for _, hop in told[:-1]]
    assert titles[0]["fram-ship#0"] == "Fram (ship)"
    assert [untimed(hop) for _, hop in told[:-1]] == result["trace"]["hops"]
    assert [list(named) for named in titles] == [hop["entered"] for hop in result["trace"]["hops"]]
    assert untimed(told[-1][1]) == result


def test_a_batch_answers_each_question_in_its_place(client: TestClient) -> None:
    asked = {"questions": [QUESTION, " ", "Who built the Tay Bridge?", ""], "k": 2}
    first, second, third, fourth = client.post(f"{RETRIEVE}/batch", json=asked).json()["results"]
    assert (first["question"], third["question"]) == (QUESTION, "Who built the Tay Bridge?")
    assert len(first["evidence"]) == len(third["evidence"]) == 2
    empty = {"error": {"status": 422, "message": "the question is empty; give a claim or a question"}}
    assert second == fourth == empty


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"country": ["Norway", "Japan"]}, {"Norway", "Japan"}),
        ({"year": {"gte": 1900, "lt": 1950}}, None),
        ({}, None),
        (None, None),
    ],
)
def test_filters(client: TestClient, where: dict[str, Any] | None, found: set[str] | None) -> None:
    answer = client.post(RETRIEVE, json={"question": QUESTION, "k": 50, "where": where})
    assert answer.status_code == 200, answer.text
    evidence = [e["passage"]["metadata"] for e in answer.json()["evidence"]]
    assert evidence
    if found:
        assert {e["country"] for e in evidence} <= found
    if where and "year" in where:
        assert all(1900 <= e["year"] < 1950 for e in evidence)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "question: field required"),
    ({"question": ""}, "question: string should have at least 1 character"),
    ({"question": "  "}, "the question is empty; give a claim or a question"),
    ({"question": 7}, "question: input should be a valid string"),
    ({"question": "x" * 1_000_000}, "question: string should have at most 20000 characters"),
    ({"question": "x", "k": 0}, "k: input should be greater than or equal to 1"),
    ({"question": "x", "k": 100_000}, "k: input should be less than or equal to 1000"),
    ({"question": "x", "k": "5"}, "k: input should be a valid integer"),
    ({"question": "x", "strategy": "atuo"}, "there is no strategy 'atuo': did you mean 'auto'?"),
    ({"question": "x", "strategy": "dense"}, "the strategy 'dense' needs vectors"),
    ({"question": "x", "color": "red"}, "there is no field 'color': known: as_of, at_most, "),
    ({"question": "x", "as_of": "someday"}, "as_of: give a day such as 2024-05-03, a month such as 2024-05, a year, "),
    ({"questoin": "x"}, "there is no field 'questoin': did you mean 'question'?"),
    ({"question": "x", "where": "country"}, "where: give an object of conditions, such as {"),
    ({"question": "x", "where": {"year": {"from": 3}}}, "where.year: give a value, a list of values, or bounds"),
    ({"question": "x", "where": {"year": None}}, "where.year: give a value, a list of values, or bounds"),
    ({"question": "x", "where": {"land": "Japan"}}, "no document has the metadata field 'land'"),
    ({"question": "x", "where": {"country": []}}, "where.country"),
    ({"question": "x", "where": {"country": {"over": 3}}}, "where.country"),
    ({"question": "x", "where": {"country": None}}, "where.country"),
    ({"question": "x", "where": {"year": "old"}}, "the metadata field 'year' holds numbers"),
    ({"question": "x", "where": {"year": 2**70}}, "the filter on 'year' holds"),
    ({"question": "x", "where": {"year": {}}}, "where.year: give a value, a list of values, or bounds"),
]


@pytest.mark.parametrize("way", ["", "/stream"])
@pytest.mark.parametrize(("body", "said"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_said_in_one_sentence(
    client: TestClient, tmp_path: Path, body: dict[str, Any], said: str, way: str
) -> None:
    answer = client.post(RETRIEVE + way, json=body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["status"] == 422
    assert said in error["message"]
    assert len(error["message"]) <= 500
    assert "\n" not in error["message"]
    assert str(tmp_path) not in answer.text


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b'{"question": "\xff"}', 400, "the body is not valid UTF-8"),
        (b'{"question": "x"', 422, "the body is not valid JSON at character 16"),
        (b"[" * 100_000, 400, "the body is nested too deeply"),
        (b"[1]", 422, "the body is not as described"),
        (b"", 422, "the body is not as described"),
        (rb'{"question": "\ud800"}', 422, "question: "),
        (b'{"question": "x", "where": {"year": NaN}}', 422, "where.year"),
        (b'{"question": "x", "where": {"year": {"gte": 1e999}}}', 422, "where.year"),
    ],
)
def test_bodies_that_are_no_questions(client: TestClient, content: bytes, status: int, said: str) -> None:
    answer = client.post(RETRIEVE, content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["status"]) == (status, status)
    assert said in answer.json()["error"]["message"]


def test_a_body_that_does_not_say_it_is_json_is_not_taken_for_it(client: TestClient) -> None:
    answer = client.post(RETRIEVE, content=b'{"question": "x"}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert "application/json" in answer.json()["error"]["message"]


def test_an_unknown_index_is_named_with_the_nearest(client: TestClient) -> None:
    answer = client.post("/v1/indexes/sampel/retrieve", json={"question": "x"})
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        404,
        "there is no index 'sampel': did you mean 'sample'?",
    )


def test_what_is_served(client: TestClient, sample: Engine) -> None:
    [index] = client.get("/v1/indexes").json()["indexes"]
    assert index == {
        "name": "sample", "documents": 182, "passages": 182, "generation": 1, "embedder": None, "writable": True,
        "fields": dict(sample.stats().fields),
    }  # fmt: skip
    stats = client.get("/v1/indexes/sample/stats").json()
    assert (stats["mentions"], stats["format"]) == (sample.stats().mentions, sample.stats().format)
    strategies = client.get("/v1/strategies").json()
    assert strategies["default"] == "auto"
    assert [s["name"] for s in strategies["strategies"]] == list(STRATEGIES)
    assert [client.get(a).json() for a in ("/health", "/ready")] == [{"status": "ok"}, {"status": "ready"}]


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ({"$not": {"kind": ["person", "work"]}, "country": "Norway"}, set()),
        ({"$or": [{"kind": "person"}, {"kind": "work"}], "country": {"contains": "norw"}}, {"person", "work"}),
        ({"kind": {"not": "person", "exists": True}, "country": "Norway"}, {"work"}),
    ],
)
def test_filters_of_every_kind(client: TestClient, where: dict[str, Any], ids: set[str]) -> None:
    found = client.post(RETRIEVE, json={"question": "Who built the Fram?", "k": 20, "where": where}).json()
    kinds = {e["passage"]["metadata"]["kind"] for e in found["evidence"]}
    assert ids <= kinds and (ids == kinds or not ids)
    assert {e["passage"]["metadata"]["country"] for e in found["evidence"]} <= {"Norway"}


def test_keep_filters_what_is_returned(client: TestClient) -> None:
    body = {"question": "Who drew the ship that Amundsen borrowed?", "k": 3, "keep": {"kind": "person"}}
    found = client.post(RETRIEVE, json=body).json()
    assert {e["passage"]["metadata"]["kind"] for e in found["evidence"]} == {"person"}


def test_no_source_fills_the_evidence(client: TestClient) -> None:
    body = {"question": "Who drew the ship that Amundsen borrowed?", "k": 4, "at_most": {"kind": 1}}
    found = client.post(RETRIEVE, json=body).json()
    kinds = [e["passage"]["metadata"]["kind"] for e in found["evidence"] if "kind" in e["passage"]["metadata"]]
    assert len(kinds) == len({*kinds}) > 1
    assert found["at_most"] == {"kind": 1}
    for wrong in ({"knd": 1}, {"kind": 0}, {"kind": "two"}):
        assert client.post(RETRIEVE, json=body | {"at_most": wrong}).status_code == 422
