"""Measures of a run, question by question, with intervals and paired tests.

All-gold@k is the discrete retrieval score of HoVer (Jiang et al. 2020): 1 when every gold document is in the first k.
nDCG (Järvelin & Kekäläinen 2002, all gold of one grade), reciprocal rank, recall and precision are those of trec_eval.
They are written here since the packages around it compile C where there is no wheel, Linux on ARM for one, from sources
that they download meanwhile. Intervals are percentile bootstrap over questions; differences are tested by paired
randomization (Smucker, Allan & Carterette 2007), and several at once are corrected by Holm's method (1979). All is
seeded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multihop.errors import InvalidInput

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
    """Mean of b − a over the same questions, with interval and p value."""

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
    budgets = sorted({k, *(c for c in curve if c < k)})
    values: PerQuestion = {}
    for budget in budgets:
        values[f"all-gold@{budget}"] = {q: all_gold(g, rankings.get(q, ()), budget) for q, g in qrels.items()}
    # A question without an answer counts as one for which nothing was found.
    for question, gold in qrels.items():
        for name, value in _ranking_measures(gold, rankings.get(question, ()), k, budgets).items():
            values.setdefault(name, {})[question] = value
    return values


def _ranking_measures(gold: Sequence[str], ranking: Sequence[str], k: int, budgets: Iterable[int]) -> dict[str, float]:
    relevant = set(gold)
    # A document that comes twice is found once, as in a file of the run, which holds every document once.
    hits = [rank for rank, document in enumerate(dict.fromkeys(ranking), 1) if document in relevant]
    ranks = [rank for rank in hits if rank <= k]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))
    return {
        f"mrr@{k}": 1 / ranks[0] if ranks else 0.0,
        f"ndcg@{k}": sum(1 / math.log2(rank + 1) for rank in ranks) / ideal if relevant else 0.0,
        f"precision@{k}": len(ranks) / k,
    } | {f"recall@{b}": sum(rank <= b for rank in hits) / max(len(relevant), 1) for b in budgets}


def estimate(values: Sequence[float], seed: int = 0) -> Estimate:
    """Mean with a 95 % percentile bootstrap interval."""
    data = np.asarray(values, dtype=float)
    if not len(data):
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    means = _resampled_means(data, seed)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def difference(a: Mapping[str, float], b: Mapping[str, float], seed: int = 0) -> Difference:
    """Compare two systems on the same questions with a paired randomization test."""
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
    """Correct the p values of several comparisons (Holm 1979)."""
    corrected, least = list(chances), 0.0
    # From the smallest p on, and never below the one before it: a weaker result must not come out stronger.
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        least = max(least, min(1.0, (len(chances) - rank) * chances[i]))
        corrected[i] = least
    return corrected


def together(differences: Sequence[Difference]) -> list[Difference]:
    """Return differences with their p values corrected for multiple comparisons."""
    corrected = holm([d.p for d in differences])
    return [replace(d, corrected=p) for d, p in zip(differences, corrected, strict=True)]


def _resampled_means(data: np.ndarray[Any, np.dtype[np.float64]], seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    picks = np.random.default_rng(seed).integers(0, len(data), size=(RESAMPLES, len(data)))
    return data[picks].mean(axis=1)  # type: ignore[no-any-return]  # numpy loses the type here
