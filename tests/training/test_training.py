"""The way from questions to trees, in small: pools of the sample, a few trees, and their arrays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from multihop.models import BoostedTrees
from multihop.parts.selectors.features import FEATURES
from multihop.testing.sample import sample_documents, sample_questions

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, laid out as the train split of a data set."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "hotpotqa").mkdir()
    documents = list(sample_documents())
    titles = {d.id: d.title for d in documents}
    _write(folder / "hotpotqa" / "corpus.jsonl", [{"title": d.title, "text": d.text} for d in documents])
    train = [{"id": q.id, "question": q.text, "gold_titles": [titles[g] for g in q.gold]} for q in sample_questions()]
    _write(folder / "hotpotqa" / "train.jsonl", train)
    return folder


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_questions_of_a_dev_split_are_left_out(data: Path, tmp_path: Path) -> None:
    held = tmp_path / "hotpotqa"
    held.mkdir()
    for name in ("corpus.jsonl", "train.jsonl"):
        (held / name).write_text((data / "hotpotqa" / name).read_text(encoding="utf-8"), encoding="utf-8")
    lines = (held / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (held / "dev.jsonl").write_text("".join(lines[10:]), encoding="utf-8")
    said = run("pools.py", "hotpotqa", "--data", tmp_path, "--indexes", tmp_path, "--out", tmp_path, "--processes", 1)
    assert f"hotpotqa: {len(lines) - 10} questions left out for a dev split" in said
    assert "hotpotqa: 10 questions" in said


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, str(ROOT / "training" / script), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


@pytest.mark.release
def test_pools_are_collected_and_trees_fitted(data: Path, tmp_path: Path) -> None:
    collected = run(
        "pools.py", "hotpotqa:20", "--data", data, "--indexes", tmp_path, "--out", tmp_path, "--processes", 1
    )
    assert "hotpotqa: 20 questions" in collected
    with np.load(tmp_path / "hotpotqa-train.npz") as pools:
        assert pools["rows"].shape == (pools["sizes"].sum(), len(FEATURES))
        assert 0 < pools["gold"].sum() <= pools["wanted"].sum()
    fitted = run("boost.py", "--pools", tmp_path, "--out", tmp_path / "trees.npz", "--trees", 5)
    assert "hotpotqa train, five folds:" in fitted
    with np.load(tmp_path / "trees.npz") as stored:
        arrays = {name: stored[name] for name in ("feature", "threshold", "left", "right", "value")}
        trees = BoostedTrees(tuple(stored["features"].tolist()), depth=int(stored["depth"]), **arrays)
    assert trees.features == FEATURES
    assert trees.feature.shape[0] == 5
    assert np.isfinite(trees.score(np.zeros((3, len(FEATURES)), np.float32))).all()
