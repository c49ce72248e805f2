from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from multihop.errors import InvalidInput, UnknownName
from multihop.lm import Model
from multihop.server import tokens
from multihop.testing.lm import ScriptedLM

from ..cli.command import failure, run, run_json
from ..lm.able import able
from .conftest import Serve

ASKED = {"question": "Who built the Fram?", "k": 1}
RETRIEVE = "/v1/indexes/sample/retrieve"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_tokens_that_are_created_at_the_same_time_are_all_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save = tokens._save

    def slowly(*args: Any) -> None:
        time.sleep(0.02)  # long enough for the others to have read the file as it was
        save(*args)

    monkeypatch.setattr(tokens, "_save", slowly)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: tokens.create(file, f"token {n}", ["read"]), range(6)))
    assert sorted(token.name for token in tokens.load(file)) == [f"token {n}" for n in range(6)]


def test_scopes(serve: Serve, file: Path) -> None:
    reader, writer = tokens.create(file, "reader", ["read"]), tokens.create(file, "writer", ["write"])
    client = serve(tokens=file)
    document: dict[str, Any] = {"url": "/v1/indexes/sample/documents/x", "json": {"text": "X."}}
    assert client.post(RETRIEVE, json=ASKED, headers=bearer(reader)).status_code == 200
    assert client.post(RETRIEVE, json=ASKED, headers=bearer(writer)).status_code == 200
    refused = client.put(**document, headers=bearer(reader))
    assert (refused.status_code, refused.json()["error"]["message"]) == (403, "the token lacks the right 'write'")
    assert client.put(**document, headers=bearer(writer)).status_code == 200
    assert client.delete("/v1/jobs/x", headers=bearer(reader)).status_code == 403
    assert client.post("/v1/indexes/sample/uploads", headers=bearer(reader)).status_code == 403
    assert client.post("/v1/indexes/sample/surveys", headers=bearer(reader)).status_code == 403
    survey = {"profile": "climate", "questions": [1], "groups": ["Norway"]}
    assert client.post("/v1/indexes/sample/surveys", json=survey, headers=bearer(writer)).status_code == 202
    assert client.get("/v1/profiles", headers=bearer(reader)).status_code == 200


def test_the_page_is_told_what_its_token_may_do(serve: Serve, file: Path) -> None:
    reader, writer = tokens.create(file, "reader", ["read"]), tokens.create(file, "writer", ["write"])
    client = serve(tokens=file)
    assert client.get("/v1/views", headers=bearer(reader)).json()["scopes"] == ["read", "reports", "metrics"]
    assert client.get("/v1/views", headers=bearer(writer)).json()["scopes"] == [
        "read",
        "survey",
        "write",
        "memory",
        "reports",
        "metrics",
    ]
    assert serve().get("/v1/views").json()["scopes"] == ["read", "survey", "write", "memory", "reports", "metrics"]


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, "this needs a token"),
        ({"Authorization": "Bearer mh_wrong"}, "the token is not known"),
        ({"Authorization": "Bearer "}, "this needs a token"),
        ({"Authorization": "Basic cmVhZGVyOng="}, "the token is not known"),
    ],
)
@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("POST", RETRIEVE), ("POST", f"{RETRIEVE}/stream"), ("POST", f"{RETRIEVE}/batch"), ("GET", "/v1/indexes"),
        ("GET", "/v1/strategies"), ("GET", "/v1/indexes/nope/stats"), ("GET", "/v1/jobs"), ("GET", "/metrics"),
        ("GET", "/v1/reports"), ("GET", "/reports/a.html"), ("POST", "/v1/indexes/sample/uploads"),
        ("PUT", "/v1/indexes/sample/documents/x"), ("GET", "/v1/indexes/sample/documents"),
    ],
)  # fmt: skip
def test_without_a_token_nothing_is_told(
    serve: Serve, file: Path, method: str, address: str, headers: dict[str, str], said: str
) -> None:
    tokens.create(file, "reader", ["read"])
    answer = serve(tokens=file).request(method, address, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["message"].startswith(said)


def test_what_needs_no_token(serve: Serve, file: Path) -> None:
    tokens.create(file, "reader", ["read"])
    client = serve(tokens=file)
    assert {client.get(a).status_code for a in ("/health", "/ready", "/openapi.json", "/docs")} == {200}


def test_a_token_taken_back_opens_nothing_any_more(serve: Serve, file: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, second = tokens.create(file, "first", ["read"]), tokens.create(file, "second", ["read"])
    client = serve(tokens=file)
    assert client.get("/v1/indexes", headers=bearer(first)).status_code == 200
    tokens.delete(file, "first")
    assert client.get("/v1/indexes", headers=bearer(first)).status_code == 401
    assert client.get("/v1/indexes", headers=bearer(second)).status_code == 200
    file.write_text("broken")
    assert client.get("/v1/indexes", headers=bearer(second)).status_code == 401
    assert "no token is accepted until this is repaired" in caplog.text


def test_a_token_taken_back_ends_the_questions_that_run_with_it(serve: Serve, file: Path) -> None:
    first, second = tokens.create(file, "first", ["read"]), tokens.create(file, "second", ["read"])
    client = serve(tokens=file)
    batch = {"questions": [f"Who built the Fram in {year}?" for year in range(1800, 1900)]}
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(client.post, f"{RETRIEVE}/batch", json=batch, headers=bearer(first))
        while "multihop_questions_total{" not in client.get("/metrics", headers=bearer(second)).text:
            time.sleep(0.01)
        tokens.delete(file, "first")
        assert running.result().status_code == 401


@dataclass(frozen=True)
class ScriptedModel:
    script: Callable[[str, Mapping[str, str]], Any]

    def open(self) -> Model:
        return Model(ScriptedLM(self.script), sleep=lambda _: None)


def test_a_token_taken_back_ends_its_open_stream(serve: Serve, file: Path) -> None:
    secret, heard = tokens.create(file, "first", ["read"]), list[str]()

    def revoking(step: str, inputs: Mapping[str, str]) -> Any:
        # The model is asked in the middle of the question, whose stream is open by then.
        if not heard:
            tokens.delete(file, "first")
        heard.append(step)
        return able(step, inputs)

    client = serve(tokens=file, lm=ScriptedModel(revoking))
    body = {"question": "Who built the Fram?", "strategy": "gap"}
    said = client.post("/v1/indexes/sample/answer/stream", json=body, headers=bearer(secret))
    assert heard
    assert (said.status_code, "event: answer" in said.text) == (200, False)
    assert "event: error" in said.text
    assert '"status":401' in said.text.replace(" ", "")


def test_the_file_keeps_hashes_only(file: Path) -> None:
    token = tokens.create(file, "page", ["read", "read"])
    assert token not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    [kept] = tokens.load(file)
    assert (kept.name, kept.scopes) == ("page", ("read",))


def test_tokens_that_cannot_be_made(file: Path, tmp_path: Path) -> None:
    tokens.create(file, "page", ["read"])
    with pytest.raises(InvalidInput, match="a token 'page' already exists"):
        tokens.create(file, "page", ["read"])
    with pytest.raises(InvalidInput, match="read, survey, write, memory, reports, metrics; got all"):
        tokens.create(file, "other", ["all"])
    with pytest.raises(InvalidInput, match="needs a name"):
        tokens.create(file, " ", ["read"])
    with pytest.raises(UnknownName, match="did you mean 'page'"):
        tokens.delete(file, "pgae")
    with pytest.raises(InvalidInput, match="cannot be written"):
        tokens.create(file / "below", "page", ["read"])
    with pytest.raises(InvalidInput, match="create it with: multihop token create"):
        tokens.load(tmp_path / "none.json")


def test_the_command_line_makes_lists_and_deletes_tokens(serve: Serve, file: Path) -> None:
    made = run("token", "create", "--file", file, "--name", "page", "--scope", "read").stdout.strip()
    assert serve(tokens=file).get("/v1/indexes", headers=bearer(made)).status_code == 200
    [listed] = run_json("token", "list", "--file", file)
    assert (listed["name"], listed["scopes"]) == ("page", ["read"])
    assert "page   read" in run("token", "list", "--file", file).stdout
    assert run("token", "delete", "--file", file, "--name", "page").stdout == "token 'page' deleted\n"
    assert json.loads(file.read_text()) == {"tokens": []}
    assert "there is no token 'page'" in failure("token", "delete", "--file", file, "--name", "page")


def test_pages_elsewhere_cannot_use_an_open_server(serve: Serve) -> None:
    client = serve(hosts=("localhost", "[::1]"))
    assert client.get("/v1/indexes", headers={"Host": "localhost:8000"}).status_code == 200
    assert client.get("/v1/indexes", headers={"Host": "[::1]:8000"}).status_code == 200
    assert client.get("/v1/indexes", headers={"Host": "evil.example:8000"}).status_code == 421
    refused = client.post(RETRIEVE, json=ASKED, headers={"Origin": "https://evil.example"})
    assert (refused.status_code, "access-control-allow-origin" in refused.headers) == (403, False)
    assert client.post(RETRIEVE, json=ASKED, headers={"Origin": "http://localhost"}).status_code == 200


def test_one_other_origin_may_be_allowed(serve: Serve) -> None:
    client = serve(origins=("https://page.example",))
    wanted = {"Origin": "https://page.example", "Access-Control-Request-Method": "POST"}
    preflight = client.options(RETRIEVE, headers=wanted | {"Access-Control-Request-Headers": "content-type"})
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, "https://page.example")
    asked = client.post(RETRIEVE, json=ASKED, headers={"Origin": "https://page.example"})
    assert asked.headers["access-control-allow-origin"] == "https://page.example"
    assert client.options(RETRIEVE, headers=wanted | {"Origin": "https://evil.example"}).status_code == 400
