from __future__ import annotations

import json
import shutil
import sys
import warnings
from pathlib import Path

import pytest

from multihop.testing import sample_documents, sample_questions

from .command import failure, run, run_json


@pytest.fixture(scope="module")
def beir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus in BEIR's layout."""
    folder = tmp_path_factory.mktemp("beir") / "my-set"
    (folder / "qrels").mkdir(parents=True)
    rows = [json.dumps({"_id": d.id, "title": d.title, "text": d.text}) for d in sample_documents()]
    (folder / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    questions = sample_questions()[:8]
    rows = [json.dumps({"_id": q.id, "text": q.text}) for q in questions]
    (folder / "queries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    gold = [f"{q.id}\t{d}\t1" for q in questions for d in q.gold]
    (folder / "qrels" / "dev.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *gold]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def runs(beir: Path) -> Path:
    out = beir.parent / "runs" / "a"
    done = run(
        "eval", beir, "--strategies", "auto,bm25", "-k", "5", "--out", out, "--report", beir.parent / "r.html", "--why"
    )
    assert done.exit_code == 0, done.stderr
    assert "all-gold@5" in done.stdout
    assert "never reached" in done.stdout
    return out


def test_report_is_one_page_of_its_own(runs: Path) -> None:
    page = (runs.parent.parent / "r.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "auto" in page


@pytest.mark.parametrize(("format", "start"), [("md", "my-set dev: 8 questions"), ("csv", "dataset,split,k,system")])
def test_formats(runs: Path, beir: Path, format: str, start: str) -> None:
    done = run("eval", beir, "--strategies", "auto,bm25", "-k", "5", "--out", runs, "--format", format)
    assert done.stdout.startswith(start)


def test_json_has_the_measures(runs: Path, beir: Path) -> None:
    said = run_json("eval", beir, "--strategies", "auto,bm25", "-k", "5", "--out", runs)
    assert [s["name"] for s in said["systems"]] == ["bm25", "auto"]
    assert 0 <= said["systems"][0]["measures"]["all-gold@5"]["mean"] <= 1


def test_only_the_systems_that_were_asked_for_are_shown(runs: Path, beir: Path, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    asked = ("eval", beir, "--strategies", "auto", "-k", "5", "--out", runs)
    done = run(*asked, "--report", page)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith("from earlier evaluations in this run, not shown: bm25\n")
    assert "bm25" not in done.stdout.removesuffix("bm25\n")
    assert "settings of auto" in page.read_text(encoding="utf-8")
    assert "settings of bm25" not in page.read_text(encoding="utf-8")
    assert [s["name"] for s in run_json(*asked)["systems"]] == ["auto"]


def test_compare_names_wins(runs: Path) -> None:
    done = run("compare", f"{runs}:bm25", f"{runs}:auto")
    assert done.exit_code == 0
    assert "auto against bm25: 8 questions, k = 5" in done.stdout
    assert run_json("compare", f"{runs}:bm25", f"{runs}:auto")["questions"] == 8


def test_two_systems_beside_each_other_as_a_page(runs: Path, tmp_path: Path) -> None:
    done = run("compare", f"{runs}:bm25", f"{runs}:auto", "--report", tmp_path / "both.html")
    assert done.exit_code == 0, done.stderr
    assert "settings that changed:" in done.stdout and "system.name: bm25 → auto" in done.stdout
    assert 'id="changed"' in (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "there is no folder" in failure(
        "compare", f"{runs}:bm25", f"{runs}:auto", "--report", tmp_path / "no" / "x.html"
    )


def test_a_page_for_a_paper(runs: Path, beir: Path, tmp_path: Path) -> None:
    asked = ("eval", beir, "--strategies", "auto,bm25", "-k", "5", "--out", runs, "--paper")
    done = run(*asked, tmp_path / "paper")
    assert done.exit_code == 0, done.stderr
    assert f"paper: {tmp_path / 'paper'}" in done.stdout.replace("\n", "")
    assert (tmp_path / "paper" / "table.tex").read_text(encoding="utf-8").startswith(r"\begin{tabular}")
    (tmp_path / "file").touch()
    assert "give a folder for the page for a paper" in failure(*asked, tmp_path / "file")
    assert "there is no folder" in failure(*asked, tmp_path / "no" / "paper")


def test_an_index_with_vectors_is_measured_with_them(beir: Path, tmp_path: Path) -> None:
    index, out = tmp_path / "vectors.mh", tmp_path / "run"
    assert run("index", beir / "corpus.jsonl", "--to", index, "--embedder", "wordllama").exit_code == 0
    done = run("eval", beir, "--index", index, "--strategies", "dense", "-k", "5", "--out", out)
    assert done.exit_code == 0, done.stderr
    answers = [json.loads(line) for line in (out / "dense.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(answers) == 8
    assert not [a["error"] for a in answers if a.get("error")]


def test_systems_of_others_stand_beside_ours(
    runs: Path, beir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_module_21.py").write_text("def retriever(question, k):\n    return ['fram-ship', 'colin-archer']\n")
    done = run(
        "eval", beir, "--strategies", "bm25", "--system", "mine=my_module_21:retriever", "--run",
        f"theirs={runs / 'auto.run'}", "-k", "5", "--out", tmp_path / "run", "--report", tmp_path / "r.html", "--why",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "mine" in done.stdout
    assert "theirs" in done.stdout
    assert "mine returned at most 2 documents a question" in done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "--system mine=my_module_21:retriever" in page
    said = run_json("compare", f"{tmp_path / 'run'}:theirs", f"{runs}:auto")
    assert said["changes"] == []


def test_the_retriever_of_the_documentation_is_measured_as_it_says(
    beir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    code = text[text.index("# my_module.py") :]
    (tmp_path / "my_module.py").write_text(code[: code.index("```")], encoding="utf-8")
    command = next(line for line in text.splitlines() if "--system my_module:retriever" in line)
    shutil.copytree(beir, tmp_path / "my-set")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the example leaves its file to be closed by Python
        done = run(*command.split()[1:])
    assert done.exit_code == 0, done.stderr
    assert all(name in done.stdout for name in ("retriever", "auto", "bm25"))
    assert (tmp_path / "report.html").exists()


def test_parts_are_measured_by_taking_them_away(beir: Path, tmp_path: Path) -> None:
    said = run_json("eval", beir, "--strategies", "", "--ablate", "gap", "-k", "5", "--out", tmp_path / "run")
    names = [s["name"] for s in said["systems"]]
    assert names[0] == "gap"
    assert "gap-without-LinkWalker" in names
    assert said["systems"][1]["against_first"]["n"] == 8
    assert "there is no strategy 'nope'" in failure("eval", beir, "--ablate", "nope", "--out", tmp_path / "x")


def test_without_a_strategy_no_index_is_made(runs: Path, beir: Path, tmp_path: Path) -> None:
    only = ("eval", beir, "--strategies", "", "--run", runs / "auto.run", "-k", "5", "--out", tmp_path / "a" / "run")
    said = run_json(*only)
    assert [s["name"] for s in said["systems"]] == ["auto"]
    assert said["systems"][0]["p50_ms"] is None
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["run"]


def test_what_would_give_zeros_fails_before_the_run(runs: Path, beir: Path, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"id": "x", "title": "X", "text": "Something else."}\n')
    assert run("index", tmp_path / "other.jsonl", "--to", tmp_path / "other.mh").exit_code == 0
    out = ("--out", tmp_path / "run", "-k", "5")
    wrong = failure("eval", beir, "--index", tmp_path / "other.mh", "--strategies", "bm25", *out)
    assert "it is not an index of this corpus" in wrong
    assert "'dense' cannot run on this index" in failure("eval", beir, "--strategies", "bm25,dense", *out)
    assert "is a folder; give a file for the report" in failure("eval", beir, *out, "--report", tmp_path)
    assert "there is no folder" in failure("eval", beir, *out, "--report", tmp_path / "none" / "r.html")
    assert "is a file; give a folder for the run" in failure("eval", beir, "--out", tmp_path / "other.jsonl")
    assert not (tmp_path / "run").exists()


def test_mistakes_are_one_line(runs: Path, beir: Path, tmp_path: Path) -> None:
    assert "did you mean 'auto'" in failure("eval", beir, "--strategies", "atuo", "--out", tmp_path / "x")
    assert "a different value of 'k'" in failure("eval", beir, "--strategies", "bm25", "-k", "6", "--out", runs)
    assert "name one as" in failure("compare", runs, runs)
    assert "contains no run" in failure("compare", tmp_path, runs)
    assert "hover is not a folder; give --data FOLDER" in failure("eval", "hover")
    assert "did you mean 'hover'" in failure("eval", "hovr", "--data", tmp_path)
