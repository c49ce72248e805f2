"""Memory over HTTP: writing needs a token that may write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from multihop.server import tokens

from .conftest import Serve

PREFIX = "/v1/indexes/sample/memory"


def post(client: TestClient, tool: str, status: int = 200, **body: Any) -> Any:
    given = client.post(f"{PREFIX}/{tool}", json={"namespace": "ann", **body})
    assert given.status_code == status, given.text
    return given.json()


def test_remember_update_recall_and_forget(client: TestClient) -> None:
    turn = {"speaker": "Ann", "text": "I moved to Lisbon.", "time": "2023-05-08T13:56:00Z"}
    [first] = post(client, "remember", turns=[turn])["ids"]
    [second] = post(client, "update", id=first, text="I moved to Oslo.")["ids"]
    found = post(client, "recall", question="Where did Ann move?", k=3)
    assert [e["passage"]["document_id"] for e in found["evidence"]] == [second]
    before = post(client, "recall", question="Where did Ann move?", k=3, as_of="2023-06-01")
    assert [e["passage"]["document_id"] for e in before["evidence"]] == [first]
    assert post(client, "forget", id=second)["ids"] == [second]
    assert post(client, "recall", question="Where did Ann move?")["evidence"] == []
    assert "not found in the namespace" in str(post(client, "forget", 422, id=second))
    assert "not found in the namespace" in str(post(client, "forget", 422, id=second, namespace="bob"))


def test_writing_needs_a_token_that_may_write(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    key = tokens.create(file, "reader", ["read"])
    client = serve(tokens=file)
    client.headers["Authorization"] = f"Bearer {key}"
    post(client, "remember", 403, turns=[{"text": "I moved."}])
