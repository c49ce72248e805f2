from __future__ import annotations

import json
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.models.adaptation import NAME
from multihop.testing import sample_questions

from ..test_adapting import LONG_FIRST
from .command import failure, run, run_json


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines))
    return path


def test_what_does_not_help_is_not_kept(index: Path, tmp_path: Path) -> None:
    rows = [{"question": q.text, "gold": q.gold} for q in sample_questions()[:30]]
    mine = written(tmp_path / "mine.jsonl", *rows)
    said = run("adapt", "--index", index, "--questions", mine).stdout
    assert said.startswith("recall@5 ")
    assert "over 30 questions, not kept" in said


def test_undo(index: Path) -> None:
    assert run("adapt", "--index", index, "--undo").stdout == "there was no adaptation\n"
    with Engine.open(index) as engine:
        engine.store.put_blob(NAME, LONG_FIRST.to_bytes())
    assert run_json("adapt", "--index", index, "--undo")["undone"] is True
    assert run_json("adapt", "--index", index, "--undo")["undone"] is False


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "mine.jsonl:2: not JSON"),
        ('["a list"]', "mine.jsonl:2: no question"),
        ({"question": " ", "gold": ["fram-ship"]}, "mine.jsonl:2: no question"),
        ({"question": "Who?", "gold": "fram-ship"}, "mine.jsonl:2: gold must be a list"),
        ({"question": "Who?", "gold": []}, "mine.jsonl:2: gold must be a list"),
        ({"question": "Who?", "gold": ["nowhere"]}, "gold 'nowhere' is not in the index"),
        ({"text": "Who?", "gold": ["fram-ship"]}, "at least 30 different questions, got 2"),
    ],
)
def test_mistakes_are_named(index: Path, tmp_path: Path, line: object, problem: str) -> None:
    good = {"question": "Who drew the Fram?", "gold": ["fram-ship"]}
    mine = written(tmp_path / "mine.jsonl", good, line)
    assert problem in failure("adapt", "--index", index, "--questions", mine)


def test_something_must_be_asked(index: Path, tmp_path: Path) -> None:
    assert "either --questions FILE or --undo" in failure("adapt", "--index", index, status=2)
    assert "mine.jsonl" in failure("adapt", "--index", index, "--questions", tmp_path / "mine.jsonl")
