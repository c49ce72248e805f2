"""Controllers from the literature that `benchmarks/controllers.py` measures: strategies of the loop like any other."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.lm import language_model
from multihop.loop import Strategy
from multihop.testing import sample_questions
from multihop.testing.lm import Faults, ScriptedLM

CONTROLLERS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "controllers.py"))
LITERATURE: tuple[Strategy, ...] = tuple(CONTROLLERS[name] for name in ("THREE_HOP", "REFLECT", "CORRECT", "SEAL"))
STEPS = {
    "three-hop": {"follow_up_queries"},
    "reflect": {"document_relevance_scorer", "follow_up_queries"},
    "correct": {"document_relevance_scorer", "gap_analyzer"},
    "seal": {"gap_analysis"},
}
QUESTION = sample_questions()[0].text
BEHIND = "zebra crossing"
"""Nothing in the question leads to this passage."""


def judging(step: str, inputs: Mapping[str, str]) -> Any:
    """Judge everything poor, so that every controller searches again, and ask for something else."""
    return {
        "document_relevance_scorer": {"score": 1},
        "follow_up_queries": {"queries": [BEHIND]},
        "gap_analyzer": {"missing_facts": ["Who Zyx Qpo was."], "query": BEHIND},
        "gap_analysis": {"queries": [BEHIND], "missing_information": []},
    }[step]


@pytest.mark.parametrize("strategy", LITERATURE, ids=lambda each: each.name)
@pytest.mark.parametrize("k", [1, 5, 21])
def test_the_budget_holds_without_a_model(strategy: Strategy, k: int, sample: Engine) -> None:
    for question in sample_questions()[:5]:
        first, again = (sample.retrieve(question.text, k=k, strategy=strategy) for _ in range(2))
        ids = [e.passage.id for e in first]
        assert len(ids) == len(set(ids)) <= k
        assert ids == [e.passage.id for e in again]
        assert not first.trace.lm_calls


@pytest.mark.parametrize("strategy", LITERATURE, ids=lambda each: each.name)
def test_a_model_judges_and_writes_the_queries(strategy: Strategy, sample: Engine) -> None:
    lm = ScriptedLM(judging)
    question = "Who drew the Fram, and who was Zyx Qpo?"
    result = sample.retrieve(question, k=5, strategy=strategy, lm=language_model(lm))
    assert {asked.step for asked in lm.asked} == STEPS[strategy.name]
    assert BEHIND in [found.query.text for hop in result.trace.hops for found in hop.found]


@pytest.mark.parametrize("strategy", LITERATURE, ids=lambda each: each.name)
def test_rules_take_over_from_a_model_that_fails(strategy: Strategy, sample: Engine) -> None:
    broken = language_model(ScriptedLM(judging, faults=Faults(kinds=["malformed"])))
    failed = sample.retrieve(QUESTION, k=5, strategy=strategy, lm=broken)
    assert [e.passage.id for e in failed] == [e.passage.id for e in sample.retrieve(QUESTION, k=5, strategy=strategy)]


def test_three_hop_takes_a_third_of_the_budget_from_every_hop(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=21, strategy=CONTROLLERS["THREE_HOP"])
    assert [len(hop.found) for hop in result.trace.hops] == [1, 1, 1]
    assert sum(e.hop == 1 for e in result) == 7
    assert [e.hop for e in result] == sorted(e.hop for e in result)


def test_a_row_of_the_table(sample: Engine) -> None:
    question = CONTROLLERS["Question"]("1", QUESTION, ("fram-ship", "colin-archer"))
    name, *cells = CONTROLLERS["row"](sample, CONTROLLERS["AUTO"], [question], 5).strip("| ").split(" | ")
    assert (name, cells[:2]) == ("auto", ["0.400", "1.000"])
    assert len(cells) == len(CONTROLLERS["MEASURES"]) + 1
