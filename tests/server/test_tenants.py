"""Tokens for some indexes: every address of the API, jobs, reports and metrics keep to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from multihop.errors import InvalidInput
from multihop.server import tokens
from multihop.server.settings import Location, Settings

from ..cli.command import failure, run, run_json
from .conftest import Serve
from .test_auth import bearer
from .test_jobs import finished

FREE = {"/health", "/ready"}
"""They say nothing about any index."""
WHOLE = {"/v1/indexes", "/v1/strategies", "/v1/profiles", "/v1/views", "/v1/jobs", "/v1/jobs/{id}", "/v1/reports",
         "/reports/{name}", "/metrics", "/v1/models", "/v1/chat/completions"}  # fmt: skip
"""Addresses without an index in them: each has a test below, or tells the same to everybody."""
SURVEY = {"profile": "climate", "questions": [1], "groups": ["Norway"]}


@dataclass
class Two:
    """A server of two indexes, and tokens for them."""

    client: TestClient
    keys: dict[str, str]

    def ask(self, key: str, method: str, address: str, **options: Any) -> Any:
        return self.client.request(method, address, headers=bearer(self.keys[key]), **options)

    def get(self, key: str, address: str) -> Any:
        return self.ask(key, "GET", address).json()


@pytest.fixture
def two(serve: Serve, settings: Settings, tmp_path: Path) -> Two:
    file = tmp_path / "tokens.json"
    keys = {
        "acme": tokens.create(file, "acme", ["write"], ["acme"]),
        "acme reads": tokens.create(file, "acme reads", ["read"], ["acme"]),
        "acme surveys": tokens.create(file, "acme surveys", ["survey"], ["acme"]),
        "acme counts": tokens.create(file, "acme counts", ["metrics"], ["acme"]),
        "zeta": tokens.create(file, "zeta", ["write"], ["zeta"]),
        "both": tokens.create(file, "both", ["read"], ["acme", "zeta"]),
        "all": tokens.create(file, "all", ["write"]),
        "gone": tokens.create(file, "gone", ["write"], ["not served"]),
    }
    reports = tmp_path / "reports"
    for name in ("acme/a.html", "zeta/z.html", "all.html"):
        (reports / name).parent.mkdir(parents=True, exist_ok=True)
        (reports / name).write_text(f"<title>{name}</title>")
    place = Path(settings.indexes[0].place)
    zeta = shutil.copytree(place, tmp_path / "zeta.mh")
    indexes = (Location("acme", str(place)), Location("zeta", str(zeta)))
    return Two(serve(indexes=indexes, tokens=file, reports=reports), keys)


def operations(client: TestClient) -> Iterator[tuple[str, str]]:
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        yield from ((method.upper(), path) for method in methods)


def test_every_address_of_another_index_is_answered_as_one_that_does_not_exist(two: Two) -> None:
    tried = 0
    for method, path in operations(two.client):
        if "{index}" not in path:
            assert path in FREE | WHOLE, f"say in this file how {path} keeps to the indexes of a token"
            continue
        own, other, none = (
            path.replace("{index}", each).replace("{id}", "fram-ship") for each in ("acme", "zeta", "no")
        )
        for key in ("acme", "gone"):
            refused, unknown = two.ask(key, method, other), two.ask(key, method, none)
            assert refused.status_code == unknown.status_code == 404, (method, path)
            assert refused.text.replace("zeta", "no") == unknown.text
        for key, address in (("acme", own), ("all", other)):
            answer = two.ask(key, method, address)
            assert answer.status_code not in (401, 403), (method, path)
            assert "there is no index" not in answer.text, (method, path)
        tried += 1
    assert tried >= 15


def test_a_body_is_not_read_for_an_index_that_the_token_is_not_for(two: Two) -> None:
    assert two.ask("acme", "POST", "/v1/indexes/zeta/uploads", content=b"x" * 2**20).status_code == 404
    assert (
        two.get("all", "/v1/indexes/zeta/stats")["documents"] == two.get("all", "/v1/indexes/acme/stats")["documents"]
    )


@pytest.mark.parametrize(
    ("key", "seen"),
    [
        ("acme", ["acme"]),
        ("zeta", ["zeta"]),
        ("both", ["acme", "zeta"]),
        ("all", ["acme", "zeta"]),
        ("gone", []),
    ],
)
def test_lists_hold_the_indexes_of_the_token(two: Two, key: str, seen: list[str]) -> None:
    assert [each["name"] for each in two.get(key, "/v1/indexes")["indexes"]] == seen
    reports = {f"{name}/{name[0]}.html" for name in seen} | ({"all.html"} if key == "all" else set())
    assert {each["name"] for each in two.get(key, "/v1/reports")["reports"]} == reports
    for name in ("acme/a.html", "zeta/z.html", "all.html"):
        assert two.ask(key, "GET", f"/reports/{name}").status_code == (200 if name in reports else 404)
    families = list(text_string_to_metric_families(two.ask(key, "GET", "/metrics").text))
    labels = {sample.labels.get("index") for family in families for sample in family.samples}
    assert labels == {*seen} | ({None} if key == "all" else set())


def test_jobs_are_those_of_the_indexes_of_the_token(two: Two) -> None:
    answer = two.ask("acme", "POST", "/v1/indexes/acme/uploads", files={"file": ("a.txt", b"Acme makes anvils.")})
    job = answer.headers["Location"]
    assert two.ask("zeta", "GET", job).status_code == two.ask("zeta", "DELETE", job).status_code == 404
    assert two.ask("zeta", "GET", job).json() == two.ask("gone", "GET", job).json()
    assert two.get("zeta", "/v1/jobs")["jobs"] == []
    for key in ("acme", "acme reads", "both", "all"):
        assert [each["id"] for each in two.get(key, "/v1/jobs")["jobs"]] == [answer.json()["id"]]
    two.client.headers.update(bearer(two.keys["acme"]))
    assert finished(two.client, answer.json())["state"] == "done"
    counted = two.ask("acme counts", "GET", "/metrics").text
    assert 'multihop_jobs{index="acme",state="done"} 1.0' in counted
    assert "zeta" not in counted
    assert two.ask("zeta", "GET", "/metrics").text.count("} 1.0") == 0


def test_each_right_opens_what_it_says(two: Two) -> None:
    def status(key: str, method: str, address: str, **options: Any) -> int:
        code: int = two.ask(key, method, address, **options).status_code
        return code

    assert status("acme counts", "GET", "/metrics") == 200
    assert {status("acme counts", "GET", a) for a in ("/v1/indexes", "/v1/reports", "/v1/jobs")} == {403}
    assert status("acme reads", "POST", "/v1/indexes/acme/surveys", json=SURVEY) == 403
    answer = two.ask("acme surveys", "POST", "/v1/indexes/acme/surveys", json=SURVEY)
    assert answer.status_code == 202
    assert status("acme reads", "DELETE", answer.headers["Location"]) == 403
    assert status("acme surveys", "DELETE", answer.headers["Location"]) in (200, 409)
    assert status("acme surveys", "PUT", "/v1/indexes/acme/documents/x", json={"text": "X."}) == 403
    upload = two.ask("acme", "POST", "/v1/indexes/acme/uploads", files={"file": ("a.txt", b"Acme makes anvils.")})
    assert status("acme surveys", "DELETE", upload.headers["Location"]) == 403
    assert two.get("acme surveys", "/v1/views")["scopes"] == ["read", "survey", "reports", "metrics"]


def test_a_file_from_before_there_were_such_bounds_opens_all_indexes(two: Two, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    rows = json.loads(file.read_text())["tokens"]
    old = [{key: value for key, value in row.items() if key != "indexes"} for row in rows]
    file.write_text(json.dumps({"tokens": old}))
    assert [each["name"] for each in two.get("acme reads", "/v1/indexes")["indexes"]] == ["acme", "zeta"]
    file.write_text(json.dumps({"tokens": [row | {"indexes": "acme"} for row in old]}))
    assert two.ask("acme reads", "GET", "/v1/indexes").status_code == 401


def test_the_command_line_makes_tokens_for_some_indexes(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    made = ("token", "create", "--file", file)
    run(*made, "--name", "acme", "--rights", "read,metrics", "--index", "acme", "--index", "wiki", "--index", "acme")
    run(*made, "--name", "all", "--scope", "write")
    first, second = run_json("token", "list", "--file", file)
    assert (first["scopes"], first["indexes"]) == (["read", "metrics"], ["acme", "wiki"])
    assert (second["scopes"], second["indexes"]) == (["write"], None)
    listed = run("token", "list", "--file", file).stdout
    assert "acme, wiki" in listed
    assert "all indexes" in listed
    assert "read, survey, write, memory, reports, metrics; got everything" in failure(
        *made, "--name", "x", "--rights", "everything"
    )
    with pytest.raises(InvalidInput, match="needs their names"):
        tokens.create(file, "none", ["read"], [])


def test_a_chat_client_sees_the_indexes_of_its_token_alone(two: Two) -> None:
    assert [each["id"] for each in two.get("acme", "/v1/models")["data"]] == ["acme"]
    body = {"messages": [{"role": "user", "content": "Who drew the Fram?"}]}
    refused = two.ask("acme", "POST", "/v1/chat/completions", json={**body, "model": "zeta"})
    assert (refused.status_code, "there is no index 'zeta'" in refused.text) == (404, True)
    assert two.ask("acme", "POST", "/v1/chat/completions", json={**body, "model": "acme"}).status_code == 200
