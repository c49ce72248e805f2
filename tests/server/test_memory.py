"""Memory over HTTP: writing needs a token that may write, everywhere or in the namespace of its user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop.errors import InvalidInput
from multihop.server import tokens
from multihop.types import Rights

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
    assert "already replaced or forgotten" in str(post(client, "forget", 422, id=second))
    assert "not found in the namespace" in str(post(client, "forget", 422, id=second, namespace="bob"))


def test_writing_needs_a_token_that_may_write(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    key = tokens.create(file, "reader", ["read"])
    client = serve(tokens=file)
    client.headers["Authorization"] = f"Bearer {key}"
    post(client, "remember", 403, turns=[{"text": "I moved."}])


def test_a_user_has_memories_of_its_own(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    keys = {user: tokens.create(file, user, ["read", "memory"], rights=Rights(user)) for user in ("ann", "bob")}
    clients = {user: serve(tokens=file) for user in keys}
    for user, key in keys.items():
        clients[user].headers["Authorization"] = f"Bearer {key}"
        assert clients[user].get("/v1/views").json()["scopes"] == ["read", "memory"]
    ann, bob = clients.values()
    [id] = post(ann, "remember", turns=[{"speaker": "Ann", "text": "I keep a zebra in Lisbon."}])["ids"]
    asked = "Who keeps a zebra in Lisbon?"
    assert [e["passage"]["document_id"] for e in post(ann, "recall", question=asked)["evidence"]] == [id]
    assert "for the namespace 'bob', not for 'ann'" in str(post(bob, "recall", 403, question=asked))
    for tool, given in {"update": {"text": "No."}, "forget": {}}.items():
        post(bob, tool, 403, id=id, **given)
        post(bob, tool, 422, id=id, namespace="bob", **given)
    for client, sees in ((ann, True), (bob, False)):
        found = client.post("/v1/indexes/sample/retrieve", json={"question": asked, "k": 50}).json()
        assert (id in [e["passage"]["document_id"] for e in found["evidence"]]) is sees
    # Whatever it may remember, it may not change documents.
    assert ann.put("/v1/indexes/sample/documents/x", json={"text": "X."}).status_code == 403


@pytest.mark.parametrize("user", ["", "*", "group:hr"])
def test_a_token_for_memory_needs_one_user(user: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="needs a user, whose name is its namespace"):
        tokens.create(tmp_path / "tokens.json", "x", ["read", "memory"], rights=Rights(user, ("hr",)))


def test_users_that_a_proxy_names_do_not_write_to_an_open_server(serve: Serve) -> None:
    client = serve(user_header="X-User", proxies=("testclient",))
    client.headers["X-User"] = "ann"
    assert "lacks the right 'memory'" in str(post(client, "remember", 403, turns=[{"text": "I moved."}]))
