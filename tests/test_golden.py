"""Golden traces: every strategy on questions of the sample corpus, what it asked, found, chose and why compared.

The ranker is left out: its scores may differ in the last digits between machines.
After a change that is meant to alter results, read the differences that the failures print, then write the files anew:
MULTIHOP_GOLDEN=write python -m pytest tests/test_golden.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from multihop import Engine
from multihop.parts.selectors import unread
from multihop.strategies import AUTO_LM, STRATEGIES, strategy as named
from multihop.testing import sample_questions
from multihop.testing.lm import ScriptedLM

from .lm.able import able
from .traces import GOLDEN, Row, compare, differences, rows, shape

QUESTIONS = {q.id: q.text for q in sample_questions() if q.id in ("q01", "q20", "q40", "q50")}
WITH_LM = ("auto", "gap", "gap-documented", "listwise", "listwise-documented")


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_traces_are_the_golden_ones(strategy: str, sample_with_vectors: Engine) -> None:
    compare(strategy, _traces(sample_with_vectors, strategy))


def test_the_walk_along_relations_is_the_golden_one(sample_with_relations: Engine) -> None:
    compare("graph-related", _traces(sample_with_relations, "graph"))


@pytest.mark.parametrize("strategy", WITH_LM)
def test_traces_with_a_scripted_model_are_the_golden_ones(strategy: str, sample: Engine) -> None:
    compare(f"lm-{strategy}", _traces(sample, strategy, lm=ScriptedLM(able)))


def test_strategies_are_made_of_the_golden_parts() -> None:
    every = {**STRATEGIES, "auto with a model": AUTO_LM}
    compare("strategies", [{"strategy": name, **every[name].describe()} for name in sorted(every)])


def test_a_serialised_result_has_the_golden_fields(sample: Engine, sample_with_vectors: Engine) -> None:
    asked = [sample_with_vectors.retrieve(QUESTIONS["q20"], k=12, strategy=s) for s in ("auto", "replace", "aspects")]
    asked.append(sample.retrieve(QUESTIONS["q20"], k=12, strategy="gap", lm=ScriptedLM(able)))
    fields = set().union(*(shape(result.to_dict()) for result in asked))
    compare("fields", [{"field": field} for field in sorted(fields)])


def test_no_golden_file_is_left_over() -> None:
    used = {*STRATEGIES, "graph-related", *(f"lm-{s}" for s in WITH_LM), "strategies", "fields"}
    assert {file.stem for file in GOLDEN.iterdir()} == used


def test_a_difference_names_the_value_and_both_sides() -> None:
    before: list[Row] = [{"question": "q01", "k": 5}, {"hop": 1, "queries": [{"hits": {"bm25": 50}}], "left": ["a#0"]}]
    now: list[Row] = [{"question": "q01", "k": 5}, {"hop": 1, "queries": [{"hits": {"bm25": 49}}]}]
    assert differences(before, now).split("\n") == [
        "  q01 hop 1 queries 1 hits bm25",
        "    - 50",
        "    + 49",
        "  q01 hop 1 left 1",
        '    - "a#0"',
    ]


def test_a_score_may_differ_in_its_last_digit_and_no_more() -> None:
    before: list[Row] = [{"evidence": "a#0", "rank": 1, "score": 0.466642, "top": ["dense a#0 0.466642"]}]
    assert differences(before, [{**before[0], "score": 0.466641, "top": ["dense a#0 0.466641"]}]) == ""
    assert "0.466649" in differences(before, [{**before[0], "score": 0.466649}])
    assert "dense b#0" in differences(before, [{**before[0], "top": ["dense b#0 0.466642"]}])
    assert "+ 1.0" in differences(before, [{**before[0], "score": 1.0}])


def _traces(engine: Engine, strategy: str, **options: Any) -> list[Row]:
    whole = named(strategy, lm="lm" in options)
    chosen = replace(whole, selector=unread(whole.selector))
    asked = {id: engine.retrieve(text, k=5, strategy=chosen, **options) for id, text in QUESTIONS.items()}
    return [row for id, result in asked.items() for row in rows(id, result)]
