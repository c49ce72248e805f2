"""Golden traces: every strategy on questions of the sample corpus, the whole result compared.

After a change that is meant to alter results, look at the difference and write them anew with
MULTIHOP_GOLDEN=write python -m pytest tests/test_golden.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from multihop import Engine
from multihop.strategies import STRATEGIES
from multihop.testing import sample_questions

GOLDEN = Path(__file__).parent / "golden"
ASKED = ("q01", "q20", "q40", "q50")
QUESTIONS = {q.id: q for q in sample_questions()}


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_result_is_the_golden_one(strategy: str, question: str, sample_with_vectors: Engine) -> None:
    _compare(sample_with_vectors, strategy, question, f"{strategy}-{question}.json")


@pytest.mark.parametrize("question", ASKED)
def test_the_walk_along_relations_is_the_golden_one(question: str, sample_with_relations: Engine) -> None:
    _compare(sample_with_relations, "graph", question, f"graph-related-{question}.json")


def _compare(engine: Engine, strategy: str, question: str, name: str) -> None:
    result = engine.retrieve(QUESTIONS[question].text, k=5, strategy=strategy)
    got = result.to_json(timing=False, indent=1) + "\n"
    golden = GOLDEN / name
    if os.environ.get("MULTIHOP_GOLDEN") == "write":
        golden.write_text(got, encoding="utf-8")
    assert got == golden.read_text(encoding="utf-8")
