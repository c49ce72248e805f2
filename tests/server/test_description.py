"""The OpenAPI description, and whether the server does what it says, whatever is sent."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop.server import tokens
from multihop.server.settings import ServerLimits, Settings

from ..patience import ENOUGH
from ..reliability.soak import SHARE, rounds
from .conftest import Listen

HOOKS = str(Path(__file__).with_name("api_hooks.py"))
"""Loaded by schemathesis alone: this process need not import it, nor any other that collects these tests."""


QUESTIONS = "/(retrieve|answer|verdict|completions|conversation|research)"
"""Paths with about half of what is tried: both halves run at the same time, each on a server of its own."""
PATHS = ["--include-path-regex=/"] if SHARE else [f"--{kind}-path-regex={QUESTIONS}" for kind in ("include", "exclude")]


@pytest.mark.release
@pytest.mark.parametrize("paths", PATHS)
def test_schemathesis_with_every_check_finds_nothing(
    paths: str, listen: Listen, settings: Settings, tmp_path: Path
) -> None:
    """Run its own command line: authentication, methods, bodies, answers, and what follows from one another."""
    key = tokens.create(tmp_path / "tokens.json", "all", ["write"])
    (tmp_path / "reports").mkdir()
    # No answer is given because time is up: on a busy machine any question may take long.
    unhurried = ServerLimits(
        batch=3, at_once=2, seconds=ENOUGH, token_seconds=ENOUGH, write_wait=ENOUGH, arrival=ENOUGH
    )
    client = listen(
        limits=unhurried,
        tokens=tmp_path / "tokens.json",
        reports=tmp_path / "reports",
        folders={"sample": {"sample": tmp_path / "reports"}},
    )
    # Its own request for the description would wait for ten seconds, whatever it is told.
    description = tmp_path / "openapi.json"
    description.write_text(client.get("/openapi.json").text, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", str(description), "--url", str(client.base_url),
            "--header", f"Authorization: Bearer {key}", "--checks", "all",
            "--exclude-checks", "positive_data_acceptance",  # api_hooks has it with what depends on the index
            "--phases", "examples,coverage,fuzzing,stateful" if SHARE else "examples,coverage", paths,
            "--max-examples", str(rounds(3, 100)), "--seed", "1", "--suppress-health-check", "all",
            "--request-timeout", str(ENOUGH), "--max-response-time", str(ENOUGH), "--continue-on-failure", "--no-color",
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": HOOKS}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_everything_is_described(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            assert all(p.get("description") for p in operation.get("parameters", ())), (method, path)
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                name = content["schema"]["$ref"].rpartition("/")[2]
                told = description["components"]["schemas"][name]
                if kind == "application/json":
                    assert told.get("examples"), name


def test_numbers_are_bounded_in_the_words_of_json_schema(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["components"]["schemas"]
    numbers = [each for each in _within(described) if each.get("type") == "integer"]
    assert not [each for each in numbers if each.keys() & {"ge", "gt", "le", "lt"}]
    assert described["GrepBody"]["properties"]["tokens"]["minimum"] == 50


def test_lists_of_filters_are_described_where_they_are_taken(client: TestClient) -> None:
    [where, _] = client.get("/openapi.json").json()["components"]["schemas"]["Question"]["properties"]["where"]["anyOf"]
    lists = [each for each in where["additionalProperties"]["anyOf"] if each.get("type") == "array"]
    assert [value["type"] for each in lists for value in each["items"]["anyOf"]] == [
        "string", "boolean", "integer", "number",
    ]  # fmt: skip
    assert where["properties"]["$or"]["items"]["type"] == where["properties"]["$and"]["items"]["type"] == "object"
    assert [each["type"] for each in where["properties"]["$not"]["anyOf"]] == ["object", "array"]


def _within(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _within(each)
