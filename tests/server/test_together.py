"""Several indexes that a server also serves as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop import Engine
from multihop.server import tokens
from multihop.server.settings import Location
from multihop.types import Document, Rights

from ..cli.command import failure
from .conftest import Serve

QUESTION = {"question": "Where was the engineer of Kittiwake born?", "k": 2}
Start = Callable[..., TestClient]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Location, ...]:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "pia.md").write_text("# Pia Holm\n\nPia Holm was born in Sandnes.\n")
    with Engine.open(tmp_path / "ships.mh", create=True) as ships:
        ships.add(Document("k", "Kittiwake is a ship. Its engineer is Pia Holm.", "Kittiwake"))
        ships.add(Document("pay", "Pia Holm earns much.", "Pay", {"allow": "group:hr"}))
    with Engine.open(tmp_path / "people.mh", create=True) as people:
        people.sync(tmp_path / "texts")
    return tuple(Location(name, str(tmp_path / f"{name}.mh")) for name in ("ships", "people"))


@pytest.fixture
def start(serve: Serve, places: tuple[Location, ...]) -> Start:
    return lambda **changes: serve(indexes=places, together={"all": ("ships", "people")}, **changes)


def ids(client: TestClient, **headers: str) -> list[str]:
    found: Any = client.post("/v1/indexes/all/retrieve", json=QUESTION, headers=headers).json()
    return [each["passage"]["id"] for each in found["evidence"]]


def test_a_chain_leads_from_one_to_the_other(start: Start) -> None:
    client = start()
    listed = client.get("/v1/indexes").json()["indexes"]
    assert [(i["name"], i["documents"], i["writable"]) for i in listed] == [
        ("ships", 2, True), ("people", 1, True), ("all", 3, False),
    ]  # fmt: skip
    found = client.post("/v1/indexes/all/retrieve", json=QUESTION).json()
    assert [e["passage"]["metadata"]["index"] for e in found["evidence"]] == ["ships", "people"]
    link = found["chain"]["links"][-1]
    assert (link["source"], link["target"]) == ("ships/k#0", "people/pia.md#0")
    assert client.get("/v1/indexes/all/files/people/pia.md").text.startswith("# Pia Holm")


def test_what_is_added_to_one_is_in_the_whole_which_refuses_changes(start: Start) -> None:
    client = start()
    new = {"documents": [{"id": "j", "text": "Jon Berg was born in Bergen.", "title": "Jon Berg"}]}
    assert client.post("/v1/indexes/people/documents", json=new).status_code == 200
    assert client.get("/v1/indexes/all/documents/people/j").json()["title"] == "Jon Berg"
    refused = client.post("/v1/indexes/all/documents", json=new)
    assert refused.status_code == 409
    assert "read-only" in refused.text


def test_tokens_cover_the_whole_with_all_of_its_parts(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    one = tokens.create(file, "one", ["read"], ["ships"])
    both = tokens.create(file, "both", ["read"], ["people", "ships"])
    eva = tokens.create(file, "eva", ["read"], None, Rights("eva"))
    client = start(tokens=file)
    assert client.get("/v1/indexes/all/stats", headers={"Authorization": f"Bearer {one}"}).status_code == 404
    assert ids(client, Authorization=f"Bearer {both}") == ["ships/k#0", "people/pia.md#0"]
    seen = client.get("/v1/indexes/all/documents", headers={"Authorization": f"Bearer {eva}"}).json()["documents"]
    assert [each["id"] for each in seen] == ["people/pia.md", "ships/k"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("all=ships", "two or more indexes"),
        ("ships,people", "NAME=INDEX,INDEX"),
        ("all=ships,peple", "did you mean 'people'"),
        ("ships=ships,people", "the name 'ships' is taken"),
    ],
)
def test_mistakes(places: tuple[Location, ...], given: str, said: str) -> None:
    indexes = [part for place in places for part in ("--index", place.place)]
    for command in ("serve", "mcp"):
        assert said in failure(command, *indexes, "--together", given)
