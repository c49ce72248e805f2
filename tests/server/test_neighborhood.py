"""What lies around a passage or a document, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop import Document, Engine
from multihop.server.settings import Location
from multihop.types import Relation

from .conftest import Serve

AROUND = "/v1/indexes/sample/neighborhood"


def test_a_document_is_surrounded_by_what_it_names_and_what_names_it(client: TestClient) -> None:
    found = client.get(f"{AROUND}/fram-ship").json()
    assert [(p["id"], p["distance"], p["via"]) for p in found["passages"]] == [
        ("fram-ship#0", 0, ""), ("colin-archer#0", 1, "fram-ship#0"), ("fridtjof-nansen#0", 1, "fram-ship#0"),
        ("roald-amundsen#0", 1, "fram-ship#0"),
    ]  # fmt: skip
    assert found["passages"][0]["opening"].startswith("The Fram is a round-hulled wooden schooner")
    assert len(found["passages"][0]["opening"]) <= 120
    joined = {(e["source"], e["target"]): e for e in found["edges"]}
    assert joined["fram-ship#0", "colin-archer#0"]["kind"] == "MENTIONS"
    assert joined["fram-ship#0", "colin-archer#0"]["evidence"] == "names “colin archer”"
    assert client.get(f"{AROUND}/fram-ship%230").json() == found


def test_more_steps_reach_further_and_the_surest_find_a_place(client: TestClient) -> None:
    further = client.get(f"{AROUND}/fram-ship?steps=2").json()
    assert {p["distance"] for p in further["passages"]} == {0, 1, 2}
    few = client.get(f"{AROUND}/fram-ship?steps=2&most=3").json()
    assert (len(few["passages"]), few["left_out"] > 0) == (3, True)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nobody", 404, "passage or document 'nobody' not found in this index"),
        ("..%2f..%2fetc%2fpasswd", 404, "passage or document '../../etc/passwd' not found in this index"),
        ("fram-ship?steps=4", 422, "steps: input should be less than or equal to 3"),
        ("fram-ship?steps=many", 422, "steps: input should be a valid integer"),
        ("fram-ship?most=0", 422, "most: input should be greater than or equal to 1"),
    ],
)
def test_what_cannot_be_walked_is_refused(client: TestClient, path: str, status: int, said: str) -> None:
    refused = client.get(f"{AROUND}/{path}")
    assert refused.status_code == status
    assert refused.json()["error"]["message"].startswith(said)


def test_a_long_document_begins_where_something_is_joined(serve: Serve, tmp_path: Path) -> None:
    parts = "\n\n".join(f"# Part {i}\n\nThis is said in part {i}." for i in range(9))
    with Engine.open(tmp_path / "long.mh", create=True) as engine:
        engine.add([Document("long", parts, "Long"), Document("b", "A mill.", "Bb2")])
        order = [Relation(f"long#{i + 1}", f"long#{i}", "FOLLOWS", 0.4, "", "order") for i in range(8)]
        engine.store.relate([*order, Relation("long#4", "b#0", "EXPLAINS", 0.7, "“thus”")])
    client = serve(indexes=(Location("long", str(tmp_path / "long.mh")),))
    found: dict[str, Any] = client.get("/v1/indexes/long/neighborhood/long").json()
    assert [(p["id"], p["distance"]) for p in found["passages"]] == [
        ("long#4", 0), ("b#0", 1), ("long#3", 1), ("long#5", 1),
    ]  # fmt: skip
    assert client.get("/v1/indexes/long/neighborhood/b").json()["passages"][1]["id"] == "long#4"
