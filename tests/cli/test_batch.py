from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from openpyxl import load_workbook

from multihop import Document, Engine

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


def test_a_verdict_takes_the_claim_of_a_table_with_both(index: Path, tmp_path: Path) -> None:
    both, out = tmp_path / "both.csv", tmp_path / "out.jsonl"
    both.write_text("question,claim\nWho drew the Fram?,Colin Archer drew the Fram.\n", encoding="utf-8")
    for command, asked in (("verdict", "Colin Archer drew the Fram."), ("answer", "Who drew the Fram?")):
        assert run(command, "--batch", both, "--out", out, "--index", index).exit_code == 0
        record = json.loads(out.read_text(encoding="utf-8"))
        assert asked in (record.get("claim"), record.get("question"))
        out.unlink()


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


@pytest.mark.parametrize("option", [("-k", "0"), ("--as-of", "someday")])
def test_an_invalid_option_fails_before_any_row(
    index: Path, claims: Path, tmp_path: Path, option: Sequence[str]
) -> None:
    out = tmp_path / "out.csv"
    assert "row" not in failure("ask", "--batch", claims, "--out", out, "--index", index, *option)
    assert not out.exists()


@pytest.mark.parametrize("suffix", ["jsonl", "xlsx"])
def test_rows_of_an_index_that_has_changed_since_are_kept_with_a_warning(
    index: Path, claims: Path, tmp_path: Path, suffix: str
) -> None:
    asked = ("ask", "--batch", claims, "--out", tmp_path / f"out.{suffix}", "--index", index)
    run(*asked)
    done = run(*asked)
    assert "2 kept from an earlier run (delete the file to ask them again)" in done.stdout
    assert "has changed" not in done.stderr
    with Engine.open(index) as engine:
        engine.delete("fram-ship")
        done = run(*asked)
    assert f"the index has changed since {asked[4]} was written; delete {asked[4]} to ask" in done.stderr
    assert "delete" not in done.stdout
    assert run_json(*asked)["outdated"] is False


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx"])
def test_formulas_do_not_reach_a_spreadsheet_and_a_second_run_finds_its_rows(tmp_path: Path, suffix: str) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("=1+1", "=HYPERLINK(A1) was the builder of the Fram.", "@SUM(A1)"))
    claims, out = tmp_path / "claims.csv", tmp_path / f"out.{suffix}"
    claims.write_text("=id,question\n=2+2,=Who built the Fram?\n-7,@Who?\n", encoding="utf-8")
    first = run_json("ask", "--batch", claims, "--out", out, "--index", tmp_path / "x.mh")
    again = run_json("ask", "--batch", claims, "--out", out, "--index", tmp_path / "x.mh")
    assert (first["done"], first["kept"], again["done"], again["kept"]) == (2, 0, 0, 2)
    if suffix == "xlsx":
        rows = [[str(cell.value or "") for cell in row] for row in load_workbook(out).active.iter_rows()]
        assert rows[1][:2] == ["=2+2", "=Who built the Fram?"]
        assert all(cell.data_type != "f" for row in load_workbook(out).active.iter_rows() for cell in row)
    else:
        with out.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter="\t" if suffix == "tsv" else ","))
        assert not [cell for row in rows for cell in row if cell[:1] in set("=@+") or cell[:2] == "-2"]
        assert [row[0] for row in rows] == ["'=id", "'=2+2", "-7"]
