"""What a server shows to somebody with rights: documents by their allow lists, in every route."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop import Engine
from multihop.errors import InvalidInput
from multihop.server import tokens
from multihop.server.settings import Location
from multihop.types import Document, Rights

from ..cli.command import failure, run
from .conftest import Serve

SECRET = "zanzibar"
DOCUMENTS = (
    Document("pay", f"The pay of Pia Holm is {SECRET} crowns.", "Pay", {"allow": "group:hr", SECRET: SECRET}),
    Document("pia", "Pia Holm leads Kittiwake, see Pay.", "Pia Holm"),
    Document("plan", f"Kittiwake plans to sell {SECRET}.", "Plan of Kittiwake", {"allow": ("jon", "group:board")}),
    Document("kittiwake", "Kittiwake is a company. Plan of Kittiwake is discussed.", "Kittiwake"),
)
HEADERS = {"user_header": "X-User", "groups_header": "X-Groups", "proxies": ("testclient",)}


@pytest.fixture
def start(serve: Serve, tmp_path: Path) -> Callable[..., TestClient]:
    place = tmp_path / "company.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(DOCUMENTS)
    return lambda **changes: serve(indexes=(Location("company", str(place)),), **changes)


def listed(client: TestClient, **headers: str) -> list[str]:
    found = client.get("/v1/indexes/company/documents", headers=headers).json()
    return [document["id"] for document in found["documents"]]


def test_a_trusted_proxy_names_the_user(start: Callable[..., TestClient]) -> None:
    client = start(**HEADERS)
    assert listed(client) == ["kittiwake", "pia"]
    assert listed(client, **{"X-User": "eli", "X-Groups": "hr, law"}) == ["kittiwake", "pay", "pia"]
    assert listed(client, **{"X-User": "jon"}) == ["kittiwake", "pia", "plan"]
    # Groups of nobody, and a user whose name looks like a group.
    assert listed(client, **{"X-Groups": "hr"}) == listed(client, **{"X-User": "group:hr"}) == ["kittiwake", "pia"]


def test_nobody_else_is_believed(start: Callable[..., TestClient]) -> None:
    client = start(**HEADERS | {"proxies": ("10.0.0.1",)})
    assert listed(client, **{"X-User": "jon", "X-Groups": "hr,board"}) == ["kittiwake", "pia"]


CALLS: list[tuple[str, str, Any]] = [
    ("GET", "/", None),
    ("GET", "/v1/indexes", None),
    ("GET", "/v1/indexes/company/stats", None),
    ("GET", "/v1/indexes/company/documents?starts=P", None),
    ("GET", "/v1/indexes/company/documents/pia", None),
    ("GET", "/v1/indexes/company/documents/pay", None),
    ("GET", "/v1/indexes/company/passages/plan%230", None),
    ("GET", "/v1/indexes/company/examples", None),
    ("GET", "/v1/indexes/company/neighborhood?document=kittiwake", None),
    ("GET", "/v1/jobs", None),
    ("GET", "/v1/views", None),
    ("POST", "/v1/indexes/company/catalog", {"search": "p"}),
    ("POST", "/v1/indexes/company/catalog", {"where": {SECRET[:-1]: "x"}}),
    ("POST", "/v1/indexes/company/retrieve", {"question": f"What does Kittiwake sell, {SECRET}?"}),
    ("POST", "/v1/indexes/company/retrieve", {"question": "Pay?", "where": {f"{SECRET}s": "x"}}),
    ("POST", "/v1/indexes/company/retrieve", {"question": "Pay?", "strategy": "graph", "as_of": "2020"}),
    ("POST", "/v1/indexes/company/answer", {"question": "What is the pay of Pia Holm?"}),
    ("POST", "/v1/indexes/company/graph", {"question": "What is the pay of Pia Holm?"}),
    ("GET", "/metrics", None),
    ("GET", "/v1/indexes/compny/stats", None),
    ("DELETE", "/v1/indexes/company/documents/pay", None),
    ("PUT", "/v1/indexes/company/documents/pay", {"text": "Mine."}),
]


def test_equal_to_a_server_that_never_held_the_rest(serve: Serve, tmp_path: Path) -> None:
    clients = []
    for name, documents in (("all", DOCUMENTS), ("some", [d for d in DOCUMENTS if "allow" not in d.metadata])):
        place = tmp_path / name / "company.mh"
        place.parent.mkdir()
        with Engine.open(place, create=True) as engine:
            engine.add(documents)
        clients.append(serve(indexes=(Location("company", str(place)),), state=tmp_path / name / "state", **HEADERS))
    for method, path, body in CALLS:
        if path in ("/metrics", "/v1/indexes/company/stats"):
            continue
        whole, alone = (_timeless(c.request(method, path, json=body, headers={"X-User": "eli"})) for c in clients)
        assert whole == alone, (method, path)


def _timeless(said: Any) -> Any:
    if not said.headers.get("content-type", "").startswith("application/json"):
        return said.status_code, said.text
    return said.status_code, _without(said.json())


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in ("seconds",)}
    return [_without(each) for each in value] if isinstance(value, list) else value


def test_a_token_with_rights(start: Callable[..., TestClient], tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    hr = tokens.create(file, "eli", ["read"], rights=Rights("eli", ("hr",)))
    title = tokens.create(file, "some", ["read"], rights=Rights(where={SECRET: SECRET}))
    everything = tokens.create(file, "all", ["write"])
    client = start(tokens=file)
    assert listed(client, Authorization=f"Bearer {hr}") == ["kittiwake", "pay", "pia"]
    assert listed(client, Authorization=f"Bearer {title}") == []
    assert listed(client, Authorization=f"Bearer {everything}") == ["kittiwake", "pay", "pia", "plan"]
    for method, path in (("DELETE", "/v1/indexes/company/documents/pia"), ("GET", "/metrics")):
        assert client.request(method, path, headers={"Authorization": f"Bearer {hr}"}).status_code == 403
    with pytest.raises(InvalidInput, match="has the scope read, or read and memory"):
        tokens.create(file, "wrong", ["read", "write"], rights=Rights("eli"))


def test_tokens_with_rights_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    create = ("token", "create", "--file", file, "--rights", "read")
    run(*create, "--name", "eli", "--user", "eli", "--group", "hr", "--where", "country=Norway")
    assert tokens.load(file)[0].rights == Rights("eli", ("hr",), {"country": "Norway"})
    run(*create, "--name", "plain")
    assert tokens.load(file)[1].rights is None
    said = failure("token", "create", "--file", file, "--rights", "write", "--name", "x", "--user", "eli")
    assert "has the scope read, or read and memory" in said
