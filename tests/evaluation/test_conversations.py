"""Datasets of several conversations: each question is asked of its own."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.evaluation.datasets import CONVERSATION, Dataset, Question, dataset_of
from multihop.evaluation.runs import execute, load_run

TALKS = ("conv-1", "conv-2")


@pytest.fixture
def talks() -> Dataset:
    documents = [
        Document(f"{talk}/{turn}", f"Ann: I moved to town {turn}.", "Ann", {CONVERSATION: talk})
        for talk in TALKS
        for turn in range(4)
    ]
    questions = [Question(f"q-{talk}", "Where did Ann move?", (f"{talk}/2",), conversation=talk) for talk in TALKS]
    return dataset_of("talks", "test", questions, lambda: documents)


@pytest.fixture
def index(talks: Dataset, tmp_path: Path) -> Path:
    with Engine.open(tmp_path / "talks.mh", create=True) as engine:
        engine.add(talks.documents(), whole=True)
    return tmp_path / "talks.mh"


@pytest.mark.parametrize("workers", [1, 2])
def test_only_its_own_conversation_is_searched(workers: int, talks: Dataset, index: Path, tmp_path: Path) -> None:
    run = execute(talks, index, ["bm25", "auto-fast"], 21, tmp_path / "run", workers=workers)
    for question in talks.questions:
        for answers in run.answers.values():
            found = answers[question.id].documents
            assert sorted(found) == [f"{question.conversation}/{turn}" for turn in range(4)]
    assert load_run(tmp_path / "run").questions == talks.questions


def test_turns_and_sessions_are_measured_as_others_define_it() -> None:
    measures = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "memory.py"))["MEASURES"]
    question = Question("q", "Where?", ("conv-1/D1:1", "conv-1/D2:4"), conversation="conv-1")
    found = ("conv-1/D1:2", "conv-1/D2:4", *(f"conv-1/D3:{n}" for n in range(1, 9)), "conv-1/D1:1")
    values = {name: measure(question, found) for name, measure in measures.items()}
    assert values == {
        "recall@5": 0.5, "recall@10": 0.5, "hit@5": 1.0, "all-gold@5": 0.0, "all-gold@10": 0.0, "all-gold@21": 1.0,
        "session@10": 1.0,
    }  # fmt: skip
    elsewhere = replace(question, gold=("q1/s2/9",))
    assert measures["session@10"](elsewhere, ("q1/s2/8",)) == 1.0
    assert measures["session@10"](elsewhere, ("q1/s3/8",)) == 0.0


def test_a_system_that_would_search_them_all_is_refused(talks: Dataset, index: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'bm25s' would search them all; measure strategies, or give a run"):
        execute(talks, index, ["bm25", "bm25s"], 5, tmp_path / "run")
    assert not (tmp_path / "run").exists()
