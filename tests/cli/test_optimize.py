"""`multihop optimize`, and the prompts it writes in ask, verdict and eval; the model is behind an HTTP server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multihop.errors import install_command
from multihop.testing import sample_documents, sample_questions

from ..lm.able import server
from ..programs.optimization.learner import HINT, Learner
from .command import SOURCE, failure, process, run, run_json

QUESTIONS = sample_questions()[:12]
Command = tuple[str | Path, ...]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus in BEIR's layout, with six questions to train on and six to measure with."""
    folder = tmp_path_factory.mktemp("optimize") / "my-set"
    (folder / "qrels").mkdir(parents=True)
    _write(folder / "corpus.jsonl", [{"_id": d.id, "title": d.title, "text": d.text} for d in sample_documents()])
    _write(folder / "queries.jsonl", [{"_id": q.id, "text": q.text} for q in QUESTIONS])
    for split, asked in (("train", QUESTIONS[:6]), ("dev", QUESTIONS[6:])):
        gold = [f"{q.id}\t{d}\t1" for q in asked for d in q.gold]
        (folder / "qrels" / f"{split}.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *gold]) + "\n")
    return folder


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def lm() -> Learner:
    return Learner()


@pytest.fixture(scope="module")
def lm_options(lm: Learner) -> Iterator[list[str]]:
    with server(lm) as (base, _):
        yield ["--lm", "openai/learner", "--lm-base", base]


@pytest.fixture(scope="module")
def prompts(dataset: Path, lm_options: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prompts optimized for gap-documented, with everything that was printed checked."""
    folder = tmp_path_factory.mktemp("prompts")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = run(
            "optimize", "--strategy", "gap-documented", "--dataset", dataset, "--out", "gap.json", "--budget", "40",
            "-k", "3", "--train", "6", "--dev", "6", "--threads", "2", *lm_options,
        )  # fmt: skip
    assert (done.exit_code, done.stderr) == (0, "")
    first, gold, _, last = done.stdout.splitlines()
    assert first.startswith("gap-documented with openai/learner, gepa: 4")
    before, after = float(gold.split()[1]), float(gold.split()[3])
    assert before < after
    assert last.endswith("written to gap.json")
    return folder / "gap.json"


def test_ask_uses_the_prompts_and_shows_them(prompts: Path, lm: Learner, lm_options: list[str], index: Path) -> None:
    lm.prompts.clear()
    command: Command = (
        "ask",
        QUESTIONS[7].text,
        "--index",
        index,
        "-k",
        "3",
        "--strategy",
        "gap-documented",
        *lm_options,
    )
    result = run_json(*command, "--prompts", prompts)
    assert any(HINT in prompt for prompt in lm.prompts)
    found = {e["passage"]["document_id"] for e in result["evidence"]}
    assert set(QUESTIONS[7].gold) <= found
    digest = result["trace"]["strategy"]["prompts"]["Prompts"]["digest"]
    done = run(*command, "--prompts", prompts, "--explain")
    assert f"prompts {digest}" in " ".join(done.stdout.split())


def test_eval_measures_with_the_prompts(
    prompts: Path, dataset: Path, lm_options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command: Command = ("eval", dataset, "--strategies", "gap-documented,bm25", "-k", "3", *lm_options)
    plain = run_json(*command, "--out", "plain")
    better = run_json(*command, "--out", "better", "--prompts", prompts)
    assert _all_gold(better, "gap-documented") > _all_gold(plain, "gap-documented")
    assert _all_gold(better, "bm25") == _all_gold(plain, "bm25")
    manifest = json.loads(Path("better/manifest.json").read_text(encoding="utf-8"))
    digest = manifest["prompts"]["gap-documented"]
    assert manifest["systems"]["gap-documented"]["prompts"]["Prompts"]["digest"] == digest
    assert "a different value of 'prompts'" in failure(*command, "--out", "plain", "--prompts", prompts)


def test_eval_in_several_processes_uses_them_too(
    prompts: Path, dataset: Path, lm_options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command: list[str | Path] = [
        "eval",
        dataset,
        "--strategies",
        "gap-documented",
        "-k",
        "3",
        "--prompts",
        prompts,
        *lm_options,
    ]
    done = run_json(*command, "--workers", "2", "--out", tmp_path / "run")
    assert _all_gold(done, "gap-documented") == 1.0


def _all_gold(said: Any, name: str) -> float:
    return float(next(s for s in said["systems"] if s["name"] == name)["measures"]["all-gold@3"]["mean"])


@pytest.mark.parametrize(("optimizer", "budget"), [("mipro", 60), ("bootstrap", 6)])
def test_the_other_optimizers_print_json_and_nothing_else(
    optimizer: str, budget: int, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with server(Learner(always=optimizer == "bootstrap")) as (base, _):
        said = run_json(
            "optimize", "--strategy", "listwise-documented", "--dataset", dataset, "--optimizer", optimizer, "-k", "3",
            "--budget", str(budget), "--train", "6", "--dev", "4", "--out", "p.json", "--lm", "openai/x",
            "--lm-base", base,
        )  # fmt: skip
    assert (said["optimizer"], said["train_questions"], said["dev"]["questions"]) == (optimizer, 6, 4)
    assert said["answers"] <= budget
    assert Path("p.json").exists()


def test_mistakes_are_one_line(
    prompts: Path, dataset: Path, lm_options: list[str], index: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new.json"
    base = ("optimize", "--dataset", dataset, "--out", out)
    assert "needs a language model: name it with --lm" in failure(*base)
    assert "did you mean 'mipro'" in failure(*base, "--optimizer", "mipr", *lm_options)
    assert "did you mean 'listwise'" in failure(*base, "--strategy", "listwize", *lm_options)
    assert "already exists" in failure("optimize", "--dataset", dataset, "--out", prompts, *lm_options)
    assert "is a folder" in failure("optimize", "--dataset", dataset, "--out", tmp_path, *lm_options)
    assert "there is no folder" in failure("optimize", "--dataset", dataset, "--out", tmp_path / "x/y", *lm_options)
    assert "hover is not a folder" in failure("optimize", "--dataset", "hover", "--out", out, *lm_options)
    asked = ("ask", "Who built the Fram?", "--index", index)
    assert "--prompts needs --lm" in failure(*asked, "--prompts", prompts, status=2)
    assert "made for the strategy 'gap-documented', not for 'gap'" in failure(
        *asked, "--strategy", "gap", "--prompts", prompts, *lm_options
    )
    assert "is not a file of prompts" in failure(
        *asked, "--strategy", "gap", "--prompts", dataset / "corpus.jsonl", *lm_options
    )
    measured: Command = ("eval", dataset, "--out", tmp_path / "run", *lm_options, "--prompts", prompts)
    assert "'gap-documented', which is not measured: bm25" in failure(*measured, "--strategies", "bm25")
    assert "two files of prompts" in failure(*measured, "--prompts", prompts, "--strategies", "gap-documented")
    assert not out.exists()


def test_a_missing_extra_is_named(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "dspy.py").write_text("raise ImportError('not installed')\n")
    told = {"PYTHONPATH": f"{tmp_path}:{SOURCE}"}
    done = process("optimize", "--dataset", dataset, "--out", tmp_path / "p.json", "--lm", "openai/x", **told)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"Install it with: {install_command('optimize')}\n")
    blocked = subprocess.run(
        [sys.executable, "-c", "import multihop\nmultihop.HoverMultiHopPipeline"],
        env={**os.environ, **told}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert blocked.stderr.endswith(f"Install it with: {install_command('lm')}\n")
