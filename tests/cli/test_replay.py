from __future__ import annotations

import json
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.testing import sample_documents
from multihop.types import Document

from .command import failure, run

ASKED = "Which shipyard owner built the ship that carried Nansen?"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    with Engine.open(tmp_path / "i.mh", create=True) as engine:
        engine.add(sample_documents())
    return tmp_path / "i.mh"


@pytest.fixture
def trace(index: Path, tmp_path: Path) -> Path:
    file = tmp_path / "trace.json"
    asked = ("ask", ASKED, "--index", index, "-k", "5", "--where", "topic=polar exploration", "--json")
    file.write_text(run(*asked).stdout, encoding="utf-8")
    return file


def test_an_unchanged_index_gives_the_same(index: Path, trace: Path) -> None:
    done = run("replay", trace, "--index", index)
    assert (done.exit_code, done.stdout) == (0, "the same\n")


def test_changes_that_matter_and_changes_that_do_not(index: Path, trace: Path) -> None:
    with Engine.open(index) as engine:
        engine.add([Document("fog", "Fog is grey.", "Fog", {"topic": "weather"})])
        engine.delete("fog")
    done = run("replay", trace, "--index", index)
    assert done.exit_code == 0, done.stdout
    assert done.stdout.splitlines() == ["the index was at generation 1 and is at 3", "the same"]
    gone = json.loads(trace.read_text())["evidence"][0]["passage"]
    with Engine.open(index) as engine:
        engine.delete(gone["document_id"])
    done = run("replay", trace, "--index", index)
    assert done.exit_code == 1
    assert f"- {gone['id']}" in done.stdout
    told = run("replay", trace, "--index", index, "--json")
    found = json.loads(told.stdout)
    assert (told.exit_code, found["same"], gone["id"] in found["left"]) == (1, False, True)
    assert any(each["place"].startswith("evidence[0].passage.") for each in found["differences"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a result"),
        ('{"question": "x", "k": 1, "evidence": [], "trace": {}}', "not a whole result"),
        ('{"question": 1, "k": 1, "evidence": [], "trace": {"strategy": {"name": "auto"}}}', "must be text"),
    ],
)
def test_files_that_are_no_results(index: Path, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "wrong.json").write_text(text)
    assert said in failure("replay", tmp_path / "wrong.json", "--index", index)
    assert "cannot be read" in failure("replay", tmp_path / "none.json", "--index", index)
