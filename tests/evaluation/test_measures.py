"""Measures against independent implementations: brute force written here, and trec_eval, live where it installs."""

from __future__ import annotations

import importlib
import math
import platform
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidInput
from multihop.evaluation.measures import all_gold, difference, estimate, per_question

from ..reliability.soak import examples

DOCUMENTS = [f"d{i}" for i in range(12)]
gold_sets = st.sets(st.sampled_from(DOCUMENTS), min_size=1, max_size=4)
ranked = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12)
tests = st.dictionaries(st.sampled_from([f"q{i}" for i in range(6)]), st.tuples(gold_sets, ranked), min_size=1)

needs_trec_eval = pytest.mark.skipif(
    sys.platform == "linux" and platform.machine() != "x86_64", reason="pytrec_eval has no wheel for this machine"
)


def brute_force(gold: set[str], found: list[str], k: int) -> dict[str, float]:
    top = found[:k]
    hits = [d in gold for d in top]
    gain = sum(hit / math.log2(i + 2) for i, hit in enumerate(hits))
    ideal = sum(1 / math.log2(i + 2) for i in range(min(len(gold), k)))
    return {
        f"all-gold@{k}": float(all(g in top for g in gold)),
        f"recall@{k}": sum(hits) / len(gold),
        f"precision@{k}": sum(hits) / k,
        f"ndcg@{k}": gain / ideal,
        f"mrr@{k}": next((1 / (i + 1) for i, hit in enumerate(hits) if hit), 0.0),
    }


@examples(150)
@given(cases=tests, k=st.integers(1, 12))
def test_measures_agree_with_brute_force(cases: dict[str, tuple[set[str], list[str]]], k: int) -> None:
    values = per_question({q: sorted(g) for q, (g, _) in cases.items()}, {q: r for q, (_, r) in cases.items()}, k)
    for question, (gold, found) in cases.items():
        for measure, expected in brute_force(gold, found, k).items():
            assert values[measure][question] == pytest.approx(expected), measure


def test_measures_of_a_ranking_worked_out_by_hand() -> None:
    values = per_question({"q": ["a", "b", "c"]}, {"q": ["x", "a", "y", "b", "z", "c"]}, 5, curve=(1, 2))
    assert {name: round(value["q"], 4) for name, value in values.items()} == {
        "all-gold@1": 0.0, "all-gold@2": 0.0, "all-gold@5": 0.0, "mrr@5": 0.5, "ndcg@5": 0.4982, "precision@5": 0.4,
        "recall@1": 0.0, "recall@2": 0.3333, "recall@5": 0.6667,
    }  # fmt: skip


@needs_trec_eval
@examples(60)
@given(cases=tests)
def test_recall_and_ndcg_agree_with_pytrec_eval(cases: dict[str, tuple[set[str], list[str]]]) -> None:
    answered = {q: (g, r) for q, (g, r) in cases.items() if r}
    qrels = {q: dict.fromkeys(g, 1) for q, (g, _) in answered.items()}
    run = {q: {d: 1.0 / (i + 1) for i, d in enumerate(r)} for q, (_, r) in answered.items()}
    judge = importlib.import_module("pytrec_eval").RelevanceEvaluator(qrels, {"recall_5", "ndcg_cut_5", "P_5"})
    expected = judge.evaluate(run)
    values = per_question({q: sorted(g) for q, (g, _) in answered.items()}, {q: r for q, (_, r) in answered.items()}, 5)
    for question in answered:
        assert values["recall@5"][question] == pytest.approx(expected[question]["recall_5"])
        assert values["ndcg@5"][question] == pytest.approx(expected[question]["ndcg_cut_5"])
        assert values["precision@5"][question] == pytest.approx(expected[question]["P_5"])


@given(gold=gold_sets, found=ranked)
def test_all_gold_never_falls_with_the_budget(gold: set[str], found: list[str]) -> None:
    values = [all_gold(gold, found, k) for k in range(1, 13)]
    assert all(a <= b for a, b in pairwise(values))


def test_unanswered_question_counts_as_nothing_found() -> None:
    values = per_question({"a": ["x"], "b": ["y"]}, {"a": ["x"]}, 5)
    assert values["all-gold@5"] == {"a": 1.0, "b": 0.0}
    assert values["recall@5"] == {"a": 1.0, "b": 0.0}


def test_run_with_unknown_question_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the run answers 'zzz', which is not among the 1 questions"):
        per_question({"a": ["x"]}, {"zzz": ["x"]}, 5)


def test_interval_holds_the_mean_and_is_seeded() -> None:
    values = [0.0, 1.0] * 50
    found = estimate(values)
    assert found.low < 0.5 == found.mean < found.high
    assert found == estimate(values)
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / 10, rel=0.15)


def test_interval_of_nothing_is_not_a_number() -> None:
    assert math.isnan(estimate([]).mean)


def test_clear_difference_is_told_from_chance() -> None:
    random = np.random.default_rng(1)
    a = {f"q{i}": float(random.random() < 0.5) for i in range(200)}
    better = {q: 1.0 if i % 3 else v for i, (q, v) in enumerate(a.items())}
    shuffled = dict(zip(a, random.permutation(list(a.values())).tolist(), strict=True))
    assert difference(a, better).p < 0.001
    assert difference(a, better).losses == 0
    assert difference(a, shuffled).p > 0.05
    assert difference(a, a).p == 1.0


def test_difference_needs_the_same_questions() -> None:
    with pytest.raises(InvalidInput, match="different questions; 'b' and 0 others"):
        difference({"a": 1.0}, {"a": 1.0, "b": 0.0})
