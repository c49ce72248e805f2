"""Coverage judged by a language model, and by rule wherever it says nothing usable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from multihop import Engine
from multihop.parts.assessors.judged import JudgedAspects
from multihop.programs.research import ResearchAgent
from multihop.types import Aspect, Plan

from ..making import BARE, chosen, met, state

QUESTION = "What is the Rosetta Stone and how was it deciphered?"


class Judge:
    """A client that names no aspects (so the rules do) and answers judgements as told."""

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict
        self.asked: list[str] = []

    def generate(self, prompt: str) -> Any:
        self.asked.append(prompt)
        if "numbered passages" not in prompt:
            return "no list"
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


def covered(engine: Engine, verdict: Any) -> tuple[dict[str, Any], list[str]]:
    agent = ResearchAgent(engine, Judge(verdict), llm_coverage=True, min_hops=1, max_hops=2, k=5)
    found = agent.process(QUESTION)
    return found.metadata["aspect_coverage"], found.metadata["notes"]


def test_judgement_decides(sample: Engine) -> None:
    full = json.dumps([{"aspect": i, "score": 1.0, "passage": 1} for i in range(1, 6)])
    coverage, _ = covered(sample, f"Here you are: {full}")
    assert coverage["uncovered_count"] == 0
    assert all(a["coverage_score"] == 1.0 and a["covered_at_hop"] == 1 for a in coverage["aspects"])
    none, _ = covered(sample, full.replace("1.0", "0.0"))
    assert none["uncovered_count"] == none["total_aspects"]


@pytest.mark.parametrize(
    "verdict",
    ["", "nonsense", "[]", "[0.9]",
     '[{"aspect": 1, "score": 7, "passage": 1}]', '[{"aspect": 1, "score": 1, "passage": 99}]',
     '[{"aspect": 99, "score": 1, "passage": 1}]', '[{"aspect": 1, "score": true, "passage": true}]', '[{"score": 1}]',
     None, 3, ConnectionError("down")],
)  # fmt: skip
def test_unusable_judgement_leaves_it_to_the_rules(sample: Engine, verdict: Any) -> None:
    by_rule = ResearchAgent(sample, None, min_hops=1, max_hops=2, k=5).process(QUESTION).metadata["aspect_coverage"]
    coverage, notes = covered(sample, verdict)
    assert coverage == by_rule
    assert any("aspect_coverage" in note and note.endswith("done by rule") for note in notes)


def test_passages_reach_the_model_as_quoted_data(sample: Engine) -> None:
    judge = Judge("{}")
    ResearchAgent(sample, judge, llm_coverage=True, min_hops=1, max_hops=1, k=3).process(QUESTION)
    (prompt,) = [p for p in judge.asked if "numbered passages" in p]
    passages = prompt.partition("\nPassages:\n")[2].splitlines()
    assert [json.loads(line)[:3] for line in passages] == ["[1]", "[2]", "[3]"]


def test_a_dspy_model_judges_as_a_client_does(sample: Engine) -> None:
    judgements = [{"aspect": i, "score": 1.0, "passage": 1} for i in range(1, 6)]
    # Only this test needs the extra for language models.
    from multihop.testing.lm import ScriptedLM

    model = ScriptedLM({"aspect_coverage": {"judgements": judgements}})
    found = ResearchAgent(sample, model, llm_coverage=True, llm_report=False, min_hops=1, max_hops=2, k=5).process(
        QUESTION
    )
    assert found.metadata["aspect_coverage"] == covered(sample, json.dumps(judgements))[0]
    assert [(c.step, c.hop, bool(c.problem)) for c in found.result.trace.lm_calls] == [
        ("query_aspects", 0, True), ("aspect_coverage", 1, False),
    ]  # fmt: skip


def test_a_client_is_asked_once_and_may_be_a_function() -> None:
    asked: list[str] = []

    def client(prompt: str) -> str:
        asked.append(prompt)
        return '[{"aspect": 1, "score": 0.9, "passage": 2}]'

    plan = Plan(aspects=(Aspect("Definition/explanation of radar", "definition", 1.0, ("radar",)),))
    found = state(met("a"), met("b"), plan=plan, selection=chosen("a#0", "b#0"))
    [target] = JudgedAspects(client).assess(found, BARE).targets
    assert (target.score, target.covered_by, target.hop) == (0.9, "b#0", 1)
    assert len(asked) == 1


def test_where_not_all_passages_are_shown_the_best_are() -> None:
    asked: list[str] = []
    plan = Plan(aspects=(Aspect("Definition/explanation of radar", "definition", 1.0, ("radar",)),))
    found = state(met("a"), met("b"), plan=plan, selection=chosen("a#0", "b#0"))

    def client(prompt: str) -> str:
        asked.append(prompt)
        return '[{"aspect": 1, "score": 0.9, "passage": 1}]'

    [target] = JudgedAspects(client, passages=1).assess(found, BARE).targets
    assert target.covered_by == "a#0"
    assert len(asked[0].partition("\nPassages:\n")[2].splitlines()) == 1
