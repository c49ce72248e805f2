from __future__ import annotations

import json
from pathlib import Path

import pytest

from .command import failure, run, run_json


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    path = tmp_path / "claims.csv"
    path.write_text("id,claim\n1,When was Colin Archer born?\n2,\n3,Who drew the Fram?\n", encoding="utf-8")
    return path


def test_every_row_is_asked_and_a_bad_one_reported(index: Path, claims: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("answer", "--batch", claims, "--out", out, "--index", index)
    assert done.exit_code == 0
    assert done.stdout.strip() == f"2 rows written to {out}, 1 failed"
    assert "row 2: claim is empty" in done.stderr
    assert [json.loads(line)["row"] for line in out.read_text(encoding="utf-8").splitlines()] == [1, 2, 3]


def test_ask_takes_a_batch_too(index: Path, claims: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    found = run_json("ask", "--batch", claims, "--out", out, "--index", index, "-k", "3", "--workers", "2")
    assert (found["done"], found["failed"]) == (2, 1)
    assert out.read_text(encoding="utf-8").startswith("id,claim,row,answer,confidence")


@pytest.mark.parametrize("command", ["ask", "answer", "verdict"])
def test_a_file_in_the_place_of_a_question_is_recognized(command: str, index: Path, claims: Path) -> None:
    assert "is a file; ask every row of it with --batch" in failure(command, claims, "--index", index, status=2)
    said = failure(command, "-", "--index", index, status=2, stdin=claims.read_text(encoding="utf-8"))
    assert "stdin holds a table of questions" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give a question, - to read it from stdin, or --batch FILE"),
        (("x", "--batch", "a.csv"), "a question or --batch FILE, not both"),
        (("--batch", "a.csv"), "--batch needs --out"),
        (("x", "--out", "a.csv"), "--out is for a batch"),
    ],
)
def test_what_does_not_go_together_is_one_line(index: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in failure("answer", *arguments, "--index", index, status=2)
