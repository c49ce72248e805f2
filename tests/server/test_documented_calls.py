"""The calls that `docs/server.md` shows are made as they stand there, and answered as it shows."""

from __future__ import annotations

import argparse
import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop.engine import Engine
from multihop.server.settings import Location, Settings

from ..survey.conftest import DOCUMENTS
from ..test_console import OPTIONS, commands
from .conftest import Serve

_CURL = argparse.ArgumentParser()
_CURL.add_argument("address")
_CURL.add_argument("-H", dest="header")
_CURL.add_argument("-d", dest="data")
_CURL.add_argument("-F", dest="file", type=lambda field: Path(field.partition("=@")[2]))
_CURL.add_argument("-s", "-sN", action="store_true")


def _called(client: TestClient, typed: str) -> Any:
    """Do what curl does with the options that the page uses."""
    told = _CURL.parse_args(shlex.split(typed.replace("\\\n", " "))[1:])
    address = told.address.removeprefix("localhost:8000")
    if told.file:
        return client.post(address, files={"file": (told.file.name, told.file.read_bytes())})
    if told.data:
        name, _, value = told.header.partition(": ")
        return client.post(address, content=told.data, headers={name: value})
    return client.get(address)


def test_calls_are_answered_as_shown(
    serve: Serve, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gjoa.md").write_text("# Gjøa\n\nGjøa was the first ship through the Northwest Passage.\n", encoding="utf-8")
    with Engine.open("ndc.mh", create=True) as engine:
        engine.add(DOCUMENTS)
    client = serve(indexes=(*settings.indexes, Location("ndc", str(tmp_path / "ndc.mh"))))
    ids: dict[str, str] = {}
    for typed, shown in commands("docs/server.md"):
        for known, real in ids.items():
            typed, shown = typed.replace(known, real), shown.replace(known, real)
        answer = _called(client, typed)
        while "/jobs/" in typed and answer.json()["state"] in ("waiting", "running"):
            answer = _called(client, typed)
        if answer.is_success and (job := re.search(r'"id":"(\w+)"', shown)):
            ids[job.group(1)] = answer.json()["id"]
            shown = shown.replace(job.group(1), answer.json()["id"])
        fits = doctest.OutputChecker().check_output(shown, answer.text + "\n", OPTIONS)
        assert fits, f"$ {typed}\n{answer.text}\ninstead of\n{shown}"
