"""The routes for agents: compact search, grep, read and missing."""

from __future__ import annotations

from starlette.testclient import TestClient

from multihop.engine import Engine
from multihop.rendering.tokens import estimate_tokens
from multihop.tools import grep, missing, read

QUESTION = "Who drew the ship that Amundsen borrowed?"
PREFIX = "/v1/indexes/sample"


def test_search_is_compact_and_leaves_out_what_is_known(client: TestClient) -> None:
    body = {"question": QUESTION, "k": 8, "tokens": 300, "exclude": ["roald-amundsen"]}
    found = client.post(f"{PREFIX}/search", json=body).json()
    ids = [p["id"] for p in found["passages"]]
    assert {"fram-ship#0", "colin-archer#0"} <= set(ids)
    assert "roald-amundsen#0" not in ids
    assert len(ids) + found["left_out"] == 8
    assert estimate_tokens(" ".join(p["text"] for p in found["passages"])) <= 300
    whole = client.post(f"{PREFIX}/retrieve", json={"question": QUESTION, "k": 3, "exclude": ["fram-ship#0"]}).json()
    assert "fram-ship#0" not in [e["passage"]["id"] for e in whole["evidence"]]
    assert whole["exclude"] == ["fram-ship#0"]


def test_grep_read_and_missing_answer_as_the_functions_do(client: TestClient, sample: Engine) -> None:
    found = client.post(f"{PREFIX}/grep", json={"pattern": "Colin Archer", "limit": 2}).json()
    assert found == grep(sample, "Colin Archer", limit=2, tokens=1000).to_dict()
    page = client.post(f"{PREFIX}/read", json={"id": "fram-ship#0", "tokens": 50}).json()
    assert page == read(sample, "fram-ship#0", tokens=50).to_dict()
    said = client.post(f"{PREFIX}/missing", json={"question": QUESTION, "passages": ["roald-amundsen#0"]}).json()
    assert said == missing(sample, QUESTION, ["roald-amundsen#0"]).to_dict()


def test_refusals(client: TestClient) -> None:
    refused = client.post(f"{PREFIX}/grep", json={"pattern": "(", "expression": True})
    assert (refused.status_code, "not a regular expression" in refused.text) == (422, True)
    unknown = client.post(f"{PREFIX}/read", json={"id": "fram-shipp"})
    assert (unknown.status_code, "did you mean 'fram-ship'" in unknown.text) == (422, True)
    assert client.post(f"{PREFIX}/search", json={"question": QUESTION, "tokens": 10}).status_code == 422


def test_a_report_with_its_log(client: TestClient) -> None:
    question = "How did the Difference Engine differ from the Analytical Engine?"
    body = {"question": question, "k": 5, "min_hops": 2, "max_hops": 3, "threshold": None}
    found = client.post(f"{PREFIX}/research", json=body).json()
    assert found["markdown"].startswith(f"# {question}\n")
    assert found["log"].startswith("📋 Identified Aspects (")
    assert found["metadata"]["hops"] <= 3
    assert client.post(f"{PREFIX}/research", json={"question": question, "k": 10**6}).status_code == 422


def test_hops_of_a_report_that_contradict_each_other_are_refused(client: TestClient) -> None:
    body = {"question": QUESTION, "k": 5, "min_hops": 5, "max_hops": 2}
    refused = client.post(f"{PREFIX}/research", json=body)
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        422,
        "min_hops must not be more than max_hops; got 5 and 2",
    )
    fewest = client.post(f"{PREFIX}/research", json={"question": QUESTION, "k": 5, "max_hops": 1})
    assert (fewest.status_code, fewest.json()["metadata"]["hops"]) == (200, 1)
