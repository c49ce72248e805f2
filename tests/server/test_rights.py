"""What a server shows to somebody with rights: documents by their allow lists, in every route."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from .test_retrieve import events

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


ASKED = {"question": f"What does Kittiwake sell, {SECRET}?"}
TURN = {"question": "Pay?", "resolved": "What is the pay of Pia Holm?", "answer": SECRET, "passages": ["pay#0"]}
BODIES: dict[str, list[Any]] = {
    "retrieve": [ASKED, {"question": "Pay?", "where": {f"{SECRET}s": "x"}},
                 {"question": "Pay?", "strategy": "graph", "as_of": "2020"}],
    "retrieve/stream": [ASKED], "retrieve/batch": [{"questions": ["Pay?", ASKED["question"]]}],
    "answer": [ASKED, {"question": "What is the pay of Pia Holm?"}], "answer/stream": [ASKED], "verdict": [ASKED],
    "search": [ASKED, {"question": SECRET}], "grep": [{"pattern": SECRET}, {"pattern": "Kittiwake"}],
    "read": [{"id": "pay"}, {"id": "plan#0"}, {"id": "pia"}],
    "missing": [{**ASKED, "passages": ["plan#0"]}, {**ASKED, "passages": ["pia#0"]}],
    "conversation": [ASKED, {**ASKED, "turns": [TURN]}],
    "research": [{"question": "What is known of Kittiwake?", "max_hops": 1}],
    "graph": [{"passages": ["pay#0", "pia#0"]}, {"passages": ["pia#0", "kittiwake#0"]}],
    "catalog": [{}, {"search": "p"}, {"search": SECRET}, {"where": {SECRET[:-1]: "x"}}, {"where": {SECRET: SECRET}}],
    "memory/recall": [{**ASKED, "namespace": "eli"}],
    "memory/remember": [{"namespace": "eli", "turns": [{"text": SECRET}]}],
    "memory/update": [{"namespace": "eli", "id": "pay", "text": "Mine."}],
    "memory/forget": [{"namespace": "eli", "id": "pay"}],
    "feedback": [{"question": "Pay?", "passages": ["pay#0"], "rating": "right"}], "sync": [{"folder": SECRET}],
    "surveys": [{"ask": ["Pay"]}], "documents": [{"documents": [{"id": "pay", "text": "Mine."}]}], "uploads": [None],
    "documents/{id}": [{"text": "Mine."}],
}  # fmt: skip
"""What is sent to each address of an index."""
OTHERS: list[tuple[str, str, Any]] = [
    ("GET", "/", None), ("GET", "/v1/indexes/compny/stats", None),
    ("GET", "/v1/indexes/company/documents?starts=P", None),
    ("POST", "/v1/chat/completions",
     {"model": "company", "messages": [{"role": "user", "content": ASKED["question"]}]}),
]  # fmt: skip


def calls(client: TestClient) -> Iterator[tuple[str, str, Any]]:
    """Every operation of the API, for a document that eli may see and for two that eli may not."""
    yield from OTHERS
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method in methods:
            if "{index}" not in path:
                yield method.upper(), path.replace("{id}", "1").replace("{name}", "company.html"), None
                continue
            part = path.removeprefix("/v1/indexes/{index}/")
            for id in ("pia", "pay", "plan%230", "pia%230"):
                if "{id}" not in path and id != "pia":
                    break
                for body in BODIES[part] if method in ("post", "put") else [None]:
                    yield method.upper(), path.replace("{index}", "company").replace("{id}", id), body


@pytest.mark.parametrize("kind", ["folder", "server"])
def test_equal_to_a_server_that_never_held_the_rest(
    kind: str, serve: Serve, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    clients = []
    for name, documents in (("all", DOCUMENTS), ("some", [d for d in DOCUMENTS if "allow" not in d.metadata])):
        place = str(tmp_path / name / "company.mh")
        (tmp_path / name).mkdir()
        if kind == "server":
            place = request.getfixturevalue("postgres").address(f"rights_{name}")
        with Engine.open(place, create=True) as engine:
            # By id, as permitted documents are copied: matches of grep are listed as they lie in the index.
            engine.add(sorted(documents, key=lambda document: document.id))
        clients.append(serve(indexes=(Location("company", place),), state=tmp_path / name / "state", **HEADERS))
    tried = 0
    for method, path, body in calls(clients[0]):
        whole, alone = (_timeless(c.request(method, path, json=body, headers={"X-User": "eli"})) for c in clients)
        assert whole == alone, (method, path, body)
        assert whole[0] < 500, (method, path, body)
        # What eli asks is repeated; nothing else may say it.
        assert SECRET in str(body) or SECRET not in str(whole), (method, path, body)
        tried += 1
    assert tried > 60


TIMES = ("seconds", "created", "id", "bytes")
"""What differs between two runs: times, the ids of chats, and the size of the files of an index."""


def _timeless(said: Any) -> Any:
    kind = said.headers.get("content-type", "")
    if kind.startswith("text/event-stream"):
        return said.status_code, _without(events(said.text))
    if not kind.startswith("application/json"):
        return said.status_code, said.text
    return said.status_code, _without(said.json())


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in TIMES}
    return [_without(each) for each in value] if isinstance(value, list | tuple) else value


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
    with pytest.raises(InvalidInput, match="has the right read, or read and memory"):
        tokens.create(file, "wrong", ["read", "write"], rights=Rights("eli"))


def test_tokens_with_rights_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    create = ("token", "create", "--file", file, "--rights", "read")
    run(*create, "--name", "eli", "--user", "eli", "--group", "hr", "--where", "country=Norway")
    assert tokens.load(file)[0].rights == Rights("eli", ("hr",), {"country": "Norway"})
    run(*create, "--name", "plain")
    assert tokens.load(file)[1].rights is None
    said = failure("token", "create", "--file", file, "--rights", "write", "--name", "x", "--user", "eli")
    assert "has the right read, or read and memory" in said
