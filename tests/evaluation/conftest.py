"""The sample corpus as a dataset, and its index."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Engine
from multihop.evaluation.datasets import Corpus, Dataset, Question
from multihop.testing import sample_documents, sample_questions


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    questions = tuple(
        Question(q.id, q.text, q.gold, q.hops, q.type, q.answer) for q in sample_questions()[:20]
    )  # fmt: skip
    return Dataset(
        "sample", "dev", questions, Corpus(sample_documents, 182, "0123456789abcdef"), source="multihop.testing"
    )


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> Path:
    path = tmp_path_factory.mktemp("evaluation") / "sample.mh"
    with Engine.open(path, create=True) as engine:
        engine.add(dataset.documents(), whole=True)
    return path
