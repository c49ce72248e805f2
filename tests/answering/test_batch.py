from __future__ import annotations

import asyncio
import csv
import json
import math
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from multihop import Document, Engine
from multihop.answering.batch import run_batch
from multihop.answering.batch_files import BatchFile, BatchRow, read_rows
from multihop.errors import InvalidInput
from multihop.rendering.xlsx import workbook
from multihop.testing.lm import ScriptedLM
from multihop.types import Answer, Result

from .scripted import ScriptedReader, ScriptedVerifier
from .test_claims import by_year

QUESTIONS = ["When was Colin Archer born?", "Who drew the Fram?", "Who built the Tay Bridge?"]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(*texts: str) -> list[BatchRow]:
    return [BatchRow(i, text, given={"question": text}) for i, text in enumerate(texts, 1)]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_rows_of_both_formats(tmp_path: Path) -> None:
    claims = tmp_path / "claims.csv"
    claims.write_text("id,Claim,label\na,The Fram sank.,NO\nb,,\n", encoding="utf-8-sig")
    assert read_rows(claims) == [
        BatchRow(1, "The Fram sank.", given={"id": "a", "Claim": "The Fram sank.", "label": "NO"}),
        BatchRow(2, "", "claim is empty", given={"id": "b", "Claim": "", "label": ""}),
    ]
    objects = tmp_path / "claims.jsonl"
    objects.write_text('{"question": "Who?"}\n\nnonsense\n"When?"\n{"id": 7}\n[1]\n', encoding="utf-8")
    found = read_rows(objects)
    assert [(r.number, r.text) for r in found if not r.problem] == [(1, "Who?"), (3, "When?")]
    assert [r.number for r in found if r.problem] == [2, 4, 5]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_separator_and_encoding_are_detected(tmp_path: Path, separator: str, encoding: str) -> None:
    claims = tmp_path / "claims.csv"
    claims.write_bytes(f"Nr{separator}claim\r\n7{separator}Måløy is small.\r\n".encode(encoding))
    assert read_rows(claims) == [BatchRow(1, "Måløy is small.", given={"Nr": "7", "claim": "Måløy is small."})]


def test_a_workbook_is_read(tmp_path: Path) -> None:
    claims = tmp_path / "claims.xlsx"
    claims.write_bytes(workbook(["Nr", "Claim"], [[7, "The Fram, a ship, sank."], [8, None]]))
    first, second = read_rows(claims)
    assert (first.text, first.given) == ("The Fram, a ship, sank.", {"Nr": 7, "Claim": "The Fram, a ship, sank."})
    assert second.problem == "claim is empty"
    claims.write_bytes(b"no workbook")
    with pytest.raises(InvalidInput, match="the workbook cannot be read"):
        read_rows(claims)


def test_a_claim_that_its_comma_would_cut_is_refused_with_its_line(tmp_path: Path) -> None:
    claims = tmp_path / "claims.csv"
    lines = ["claim,label", '"The Fram, a ship, sank.",no', "The Fram, a ship, sank.,no", "The Fram sank, and rose"]
    claims.write_text("\n".join(lines), encoding="utf-8")
    good, *bad = read_rows(claims)
    assert (good.text, good.problem) == ("The Fram, a ship, sank.", "")
    assert [row.problem for row in bad] == [
        "line 3 has 4 cells, but the header has 2; quote any text that contains the separator",
        "line 4: the cell after 'claim' begins with a blank; quote any text that contains the separator",
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "x,y\n1,2\n", "has the columns x, y; one of question"),
        ("a.jsonl", "", "no rows"),
        ("a.csv", "", "is empty"),
        ("a.csv", "claim;note;note\nx;1;2\n", "two columns named 'note'"),
        ("a.csv", 'claim,x\none,1\n"two,2\nthree,3\n', "line 3: a quotation mark is not closed"),
        ("a.txt", "x", "a batch is a .csv"),
    ],
)
def test_files_without_questions_are_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        read_rows(tmp_path / name)


def test_quotation_marks_within_a_text_are_kept(tmp_path: Path) -> None:
    claims = tmp_path / "claims.csv"
    claims.write_text('claim,x\n"The ""Fram"" sank,\nsaid Ada.",1\nA 5" pipe broke.,2\n', encoding="utf-8")
    assert [row.text for row in read_rows(claims)] == ['The "Fram" sank,\nsaid Ada.', 'A 5" pipe broke.']


def test_of_a_question_and_a_claim_the_one_that_is_preferred_is_asked(tmp_path: Path) -> None:
    both = tmp_path / "both.csv"
    both.write_text("question,claim\nWho drew her?,Archer drew her.\n", encoding="utf-8")
    assert [read_rows(both)[0].text, read_rows(both, first="claim")[0].text] == ["Who drew her?", "Archer drew her."]


def test_results_are_not_written_to_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no folder"):
        BatchFile(tmp_path / "no" / "out.csv", rows("x"))


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
    out.write_text(whole + ('{"row": 3, "given": {"W' if suffix == ".jsonl" else ""), encoding="utf-8")
    calls: list[str] = []

    def ask(question: str) -> Any:
        calls.append(question)
        return sample.answer(question)

    done = run_batch(ask, rows(*QUESTIONS), out, workers=1)
    assert (done.kept, done.done) == (1, 2)
    assert calls == QUESTIONS[1:]
    if suffix == ".jsonl":
        assert [row["given"]["question"] for row in lines(out)] == QUESTIONS
    else:
        assert [row["question"] for row in table(out)] == QUESTIONS


def test_a_workbook_goes_on_where_it_ended(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.xlsx"
    calls: list[str] = []

    def ask(question: str) -> Any:
        calls.append(question)
        return sample.answer(question, models=False)

    run_batch(ask, rows(QUESTIONS[0], "x" * 30_000), out, workers=1)
    done = run_batch(ask, rows(*QUESTIONS), out, workers=1)
    assert (done.kept, done.done, calls[2:]) == (1, 2, QUESTIONS[1:])
    assert [path.name for path in tmp_path.iterdir()] == ["out.xlsx"]
    assert [row.given["row"] for row in read_rows(out)] == [1, 2, 3]


@pytest.mark.parametrize("suffix", [".xlsx", ".csv", ".jsonl"])
def test_dates_and_numbers_of_a_workbook_stay_what_they_are(sample: Engine, tmp_path: Path, suffix: str) -> None:
    day, moment = datetime(2024, 5, 3), datetime(2024, 5, 3, 14, 30)
    own = [day, moment, time(9, 5), timedelta(hours=30), -3.5, 7, -1.5e-7, 0.1 + 0.2, "007", "=A1", None]
    names = [f"own {place}" for place in range(len(own))]
    sheet, out = Workbook(), tmp_path / f"out{suffix}"
    sheet.active.append(["question", *names])
    sheet.active.append([QUESTIONS[0], *own])
    sheet.save(tmp_path / "in.xlsx")
    found = []
    # As a text, as a spreadsheet would otherwise compute it.
    plain = load_workbook(tmp_path / "in.xlsx")
    plain.active["K2"].data_type = "s"
    plain.save(tmp_path / "in.xlsx")
    for _ in range(2):
        asked = read_rows(tmp_path / "in.xlsx")
        done = run_batch(sample.retrieve, asked, out)
        found.append((done.done, done.kept))
    assert found == [(1, 0), (0, 1)]
    if suffix == ".xlsx":
        [row] = read_rows(out)
        assert [row.given[name] for name in names] == [*own[:7], pytest.approx(0.3), "007", "=A1", ""]
    elif suffix == ".csv":
        [line] = table(out)
        assert [line[name] for name in names[4:7]] == ["-3.5", "7", "-1.5e-07"]


def test_rows_of_json_lines_in_a_workbook(sample: Engine, tmp_path: Path) -> None:
    given = {
        "question": QUESTIONS[0],
        "id": 12345678901234567890,
        "none": None,
        "yes": True,
        "list": [1],
        "nan": math.nan,
    }
    run_batch(sample.retrieve, [BatchRow(1, QUESTIONS[0], given=given)], tmp_path / "out.xlsx")
    again = run_batch(sample.retrieve, [BatchRow(1, QUESTIONS[0], given=given)], tmp_path / "out.xlsx")
    [row] = read_rows(tmp_path / "out.xlsx")
    own = [row.given[name] for name in ("id", "none", "yes", "list", "nan")]
    assert own == ["12345678901234567890", "", "True", "[1]", "nan"]
    assert again.kept == 1


def test_rows_that_are_asked_again_stand_in_their_order(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run_batch(sample.retrieve, rows("x" * 30_000, QUESTIONS[0]), out)
    run_batch(sample.retrieve, rows(QUESTIONS[1], QUESTIONS[0]), out)
    assert [row["row"] for row in table(out)] == ["1", "2"]


def test_a_table_keeps_its_columns_and_gets_those_of_the_verdict(sample: Engine, tmp_path: Path) -> None:
    claim = "Colin Archer was born in Larvik in 1832, and wrote operas about penguins."
    given = {"Nr": "7", "claim": claim, "answer": "mine"}
    engine = Engine(sample.store, verifier=ScriptedVerifier(by_year))
    out = tmp_path / "out.csv"
    run_batch(engine.verdict, [BatchRow(1, claim, given=given)], out)
    [row] = table(out)
    assert list(row)[:6] == ["Nr", "claim", "answer", "row", "multihop answer", "confidence"]
    assert {name: row[name] for name in given} == given
    assert row["multihop answer"] in ("supported", "undecided")
    assert row["parts"].startswith("supported: Colin Archer was born in Larvik in 1832; undecided: wrote operas")
    assert "1832" in row["sentence"]
    assert (row["file"], row["passages"].split()[0]) == ("colin-archer", "colin-archer#0")


def test_a_table_has_file_and_page(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path / "a.mh", create=True, reader=ScriptedReader({"": {"Larvik": 0.9}}))
    text = "The first page says nothing.\n\fColin Archer was born in Larvik."
    engine.add([Document("report.pdf", text, "Report", metadata={"file.path": "in/report.pdf"})])
    run_batch(engine.answer, rows("Where was Colin Archer born?"), tmp_path / "out.csv")
    [row] = table(tmp_path / "out.csv")
    assert (row["answer"], row["file"], row["page"]) == ("Larvik", "in/report.pdf", "2")


def test_the_cost_of_the_model_is_summed(sample: Engine, tmp_path: Path) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}}, tokens=(100, 20))

    def ask(claim: str) -> Any:
        return sample.verdict(claim, k=3, strategy="bm25", lm=lm)

    done = run_batch(ask, rows("The Fram was drawn.", "The Fram sailed."), tmp_path / "out.csv")
    assert (done.lm_calls, done.lm_tokens) == (2, 240)


def test_a_file_of_another_kind_is_not_overwritten(sample: Engine, tmp_path: Path) -> None:
    out = tmp_path / "mine.csv"
    out.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not the output of a batch with these columns"):
        run_batch(sample.answer, rows(QUESTIONS[0]), out)
    with pytest.raises(InvalidInput, match="cannot infer the format"):
        run_batch(sample.answer, rows(QUESTIONS[0]), tmp_path / "out.docx")


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
