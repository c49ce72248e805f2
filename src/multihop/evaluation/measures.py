"""Measures of a run, question by question, with intervals and paired tests.

All-gold@k is the discrete retrieval score of HoVer (Jiang et al. 2020): 1 when every gold document is in the first k.
nDCG, reciprocal rank, recall and precision are those of ir-measures. Intervals are percentile bootstrap over questions;
differences are tested by paired randomization (Smucker, Allan & Carterette 2007), and several at once are corrected by
Holm's method (1979). All is seeded.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multihop.errors import InvalidInput, needs_extra

Qrels = Mapping[str, Sequence[str]]
"""Question id → ids of its gold documents."""
Rankings = Mapping[str, Sequence[str]]
"""Question id → ids of the documents found, best first."""
PerQuestion = dict[str, dict[str, float]]
"""Measure → question id → value."""

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of b − a over the same questions, its interval, and how often chance alone gives as much."""

    mean: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    n: int
    corrected: float
    """p after Holm's correction for the comparisons that were made together; p itself where there was one."""


def all_gold(gold: Iterable[str], ranking: Sequence[str], k: int) -> float:
    """1.0 when every gold document is among the first k, otherwise 0.0."""
    return float(set(gold) <= set(ranking[:k]))


def per_question(qrels: Qrels, rankings: Rankings, k: int, curve: Sequence[int] = ()) -> PerQuestion:
    """Measure every question at budget k, and all-gold and recall along the curve of smaller budgets."""
    unknown = sorted(set(rankings) - set(qrels))
    if unknown:
        raise InvalidInput(f"the run answers {unknown[0]!r}, which is not among the {len(qrels)} questions")
    values: PerQuestion = {}
    for budget in sorted({k, *(c for c in curve if c < k)}):
        values[f"all-gold@{budget}"] = {q: all_gold(g, rankings.get(q, ()), budget) for q, g in qrels.items()}
    # ir-measures says nothing of a question without an answer; here it counts as nothing found.
    for name, by_question in _ir_measures(qrels, rankings, k, curve).items():
        values[name] = {q: by_question.get(q, 0.0) for q in qrels}
    return values


def _ir_measures(qrels: Qrels, rankings: Rankings, k: int, curve: Sequence[int]) -> PerQuestion:
    with needs_extra("Evaluation", "eval"):
        library: Any = importlib.import_module("ir_measures")
    wanted = {library.P @ k: f"precision@{k}", library.nDCG @ k: f"ndcg@{k}", library.RR @ k: f"mrr@{k}"}
    wanted |= {library.R @ budget: f"recall@{budget}" for budget in {k, *(c for c in curve if c < k)}}
    # Numbers stand for the ids: the library below hands them to C, where not every id that Python can hold survives.
    number = {q: str(i) for i, q in enumerate(qrels)}
    names = {i: q for q, i in number.items()}
    documents: dict[str, str] = {}
    for ids in (*qrels.values(), *rankings.values()):
        for id in ids:
            documents.setdefault(id, str(len(documents)))
    gold = {number[q]: dict.fromkeys((documents[d] for d in ids), 1) for q, ids in qrels.items()}
    # Equal scores would be put in an order of the library's own; descending whole numbers keep ours.
    run = {
        number[q]: {documents[d]: float(len(found) - i) for i, d in enumerate(found)}
        for q, found in rankings.items()
        if found
    }
    values: PerQuestion = {name: {} for name in wanted.values()}
    if run:
        for metric in library.iter_calc(list(wanted), gold, run):
            values[wanted[metric.measure]][names[metric.query_id]] = float(metric.value)
    return dict(sorted(values.items()))


def estimate(values: Sequence[float], seed: int = 0) -> Estimate:
    """Mean with a 95 % percentile bootstrap interval."""
    data = np.asarray(values, dtype=float)
    if not len(data):
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    means = _resampled_means(data, seed)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def difference(a: Mapping[str, float], b: Mapping[str, float], seed: int = 0) -> Difference:
    """Compare two systems on the same questions: is the mean of b − a more than chance?"""
    if set(a) != set(b):
        odd = sorted(set(a) ^ set(b))
        raise InvalidInput(
            f"the two runs answer different questions; {odd[0]!r} and {len(odd) - 1} others are in one only"
        )
    deltas = np.array([b[q] - a[q] for q in sorted(a)], dtype=float)
    if not len(deltas):
        return Difference(0.0, 0.0, 0.0, 1.0, 0, 0, 0, 1.0)
    low, high = np.quantile(_resampled_means(deltas, seed), [0.025, 0.975])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(RESAMPLES * 5, len(deltas)))
    # Summed in another order, equal means may differ in the last digits.
    as_far = np.abs((signs * deltas).mean(axis=1)) >= abs(deltas.mean()) - 1e-12
    # The observed signs are one of the samples, so that p is never 0.
    p = float((as_far.sum() + 1) / (len(as_far) + 1))
    wins, losses = int((deltas > 0).sum()), int((deltas < 0).sum())
    return Difference(float(deltas.mean()), float(low), float(high), p, wins, losses, len(deltas), p)


def holm(chances: Sequence[float]) -> list[float]:
    """Correct p values of comparisons made together, so that the chance of even one false alarm stays as said."""
    corrected, least = list(chances), 0.0
    # From the smallest p on, and never below the one before it: a weaker result must not come out stronger.
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        least = max(least, min(1.0, (len(chances) - rank) * chances[i]))
        corrected[i] = least
    return corrected


def together(differences: Sequence[Difference]) -> list[Difference]:
    """Give differences that are looked at together with their p values corrected."""
    corrected = holm([d.p for d in differences])
    return [replace(d, corrected=p) for d, p in zip(differences, corrected, strict=True)]


def _resampled_means(data: np.ndarray[Any, np.dtype[np.float64]], seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    picks = np.random.default_rng(seed).integers(0, len(data), size=(RESAMPLES, len(data)))
    return data[picks].mean(axis=1)  # type: ignore[no-any-return]  # numpy loses the type here
