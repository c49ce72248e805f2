from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.answering.batch import BatchRow, read_rows, run_batch
from multihop.errors import InvalidInput
from multihop.testing.lm import ScriptedLM
from multihop.types import Answer, Result

QUESTIONS = ["When was Colin Archer born?", "Who drew the Fram?", "Who built the Tay Bridge?"]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(*texts: str) -> list[BatchRow]:
    return [BatchRow(i, str(i), text) for i, text in enumerate(texts, 1)]


def test_rows_of_both_formats(tmp_path: Path) -> None:
    table = tmp_path / "claims.csv"
    table.write_text("id,Claim,label\na,The Fram sank.,NO\nb,,\n", encoding="utf-8-sig")
    assert read_rows(table) == [BatchRow(1, "a", "The Fram sank."), BatchRow(2, "b", "", "claim is empty")]
    objects = tmp_path / "claims.jsonl"
    objects.write_text('{"question": "Who?"}\n\nnonsense\n"When?"\n{"id": 7}\n[1]\n', encoding="utf-8")
    found = read_rows(objects)
    assert [(r.number, r.text) for r in found if not r.problem] == [(1, "Who?"), (3, "When?")]
    assert [r.number for r in found if r.problem] == [2, 4, 5]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "x,y\n1,2\n", "has the columns x, y; one of question"),
        ("a.jsonl", "", "no rows"),
        ("a.txt", "x", "a batch is a .csv"),
    ],
)
def test_files_without_questions_are_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        read_rows(tmp_path / name)


def test_results_stand_in_the_order_of_the_rows_and_a_bad_one_is_reported(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    asked = rows(QUESTIONS[0], "x" * 30_000, *QUESTIONS[1:])
    done = run_batch(sample.answer, asked, out, workers=3)
    assert (done.done, done.failed, done.kept) == (3, 1, 0)
    found = lines(out)
    assert [row["row"] for row in found] == [1, 2, 3, 4]
    assert "at most 20000 are allowed" in found[1]["error"]
    assert found[0]["text"] == sample.answer(QUESTIONS[0]).text
    assert done.problems[0].startswith("row 2: the question has 30000 characters")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_batch_goes_on_where_it_ended(sample: Engine, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"out{suffix}"
    run_batch(sample.answer, rows(QUESTIONS[0], " "), out)
    whole = out.read_text(encoding="utf-8")
    out.write_text(whole + ('{"row": 3, "asked": "W' if suffix == ".jsonl" else ""), encoding="utf-8")
    calls: list[str] = []

    def ask(question: str) -> Any:
        calls.append(question)
        return sample.answer(question)

    done = run_batch(ask, rows(*QUESTIONS), out, workers=1)
    assert (done.kept, done.done) == (1, 2)
    assert calls == QUESTIONS[1:]
    if suffix == ".jsonl":
        assert [row["asked"] for row in lines(out)] == QUESTIONS
    else:
        with out.open(encoding="utf-8", newline="") as file:
            assert [row["asked"] for row in csv.DictReader(file)] == QUESTIONS


def test_a_table_has_the_answer_its_sentence_and_its_passages(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run_batch(sample.answer, rows(QUESTIONS[0]), out)
    with out.open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert row["text"] == "1832"
    assert "1832" in row["sentence"]
    assert row["passages"].split()[0] == "colin-archer#0"


def test_the_cost_of_the_model_is_summed(sample: Engine, tmp_path: Path) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}}, tokens=(100, 20))

    def ask(claim: str) -> Any:
        return sample.verdict(claim, k=3, strategy="bm25", lm=lm)

    done = run_batch(ask, rows("The Fram was drawn.", "The Fram sailed."), tmp_path / "out.csv")
    assert (done.lm_calls, done.lm_tokens) == (2, 240)


def test_a_file_of_another_kind_is_not_overwritten(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "mine.csv"
    out.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not the output of a batch"):
        run_batch(sample.answer, rows(QUESTIONS[0]), out)
    with pytest.raises(InvalidInput, match="cannot infer the format"):
        run_batch(sample.answer, rows(QUESTIONS[0]), tmp_path / "out.xlsx")


@pytest.mark.parametrize("workers", [0, 65, True])
def test_workers_are_a_small_number(sample: Engine, tmp_path: Path, workers: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 64"):
        run_batch(sample.answer, rows(QUESTIONS[0]), tmp_path / "out.csv", workers=workers)


def test_many_questions_in_their_order_with_errors_in_place(sample: Engine) -> None:
    first, second, third = sample.retrieve_many([QUESTIONS[0], " ", QUESTIONS[1]], workers=2, k=2)
    assert isinstance(first, Result)
    assert isinstance(third, Result)
    assert (first.question, third.question) == (QUESTIONS[0], QUESTIONS[1])
    assert isinstance(second, InvalidInput)
    assert first.evidence == sample.retrieve(QUESTIONS[0], k=2).evidence


def test_the_asynchronous_forms_give_the_same(sample: Engine) -> None:
    async def ask() -> tuple[Result, Answer]:
        return await asyncio.gather(sample.aretrieve(QUESTIONS[0], k=3), sample.aanswer(QUESTIONS[0], k=3))

    result, answer = asyncio.run(ask())
    assert result.evidence == sample.retrieve(QUESTIONS[0], k=3).evidence
    assert answer.text == sample.answer(QUESTIONS[0], k=3).text
