from __future__ import annotations

from pathlib import Path

from multihop.engine import Engine
from multihop.types import Document

from .command import failure, run, run_json


def test_relations_are_built_step_by_step(index: Path) -> None:
    first = run("relate", "--index", index).stdout
    assert first.startswith("182 passages processed, ")
    assert run("relate", "--index", index).stdout.startswith("no new passages, ")
    with Engine.open(index) as engine:
        engine.add(Document("gjoa", "Amundsen sailed in the Gjøa before Fram (ship).", "Gjøa"))
    assert run_json("relate", "--index", index)["passages"] == 1
    assert "all rebuilt" in run("relate", "--index", index, "--rebuild").stdout
    counted = run_json("stats", "--index", index)["relations"]
    assert f"relations         {counted:,}\n" in run("stats", "--index", index).stdout


def test_what_cannot_be_done(index: Path, tmp_path: Path) -> None:
    assert "there is no index at" in failure("relate", "--index", tmp_path / "nowhere")
    assert "'nonsense'" in failure("relate", "--index", index, "--profile", "nonsense")
