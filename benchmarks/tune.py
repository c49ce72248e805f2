"""Fit the weights of the learned fusion on the train splits, and show what they do there.

Runs `auto-fast` over the training questions, keeps the features of every candidate of the last hop, and climbs one
weight at a time towards more questions with all their evidence in the budget (all-gold@k and recall@k, at k = 5 and
21). Features that depend on the weights (what a link inherits) are computed anew after each round. Dev splits are never
read.

    python benchmarks/tune.py --data datasets
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from indexes import open_index
from numpy.typing import NDArray

from multihop import Engine, loop
from multihop.evaluation.datasets import Dataset, load
from multihop.parts.selectors.fusion import WEIGHTS, LearnedFusion, features
from multihop.protocols import Context, State
from multihop.strategies import AUTO_FAST
from multihop.types import Selection

SETS = (("hotpotqa", None, 5), ("hover", "lite", 21), ("exfever", "lite", 21), ("musique", None, 5))
BUDGETS = (5, 21)
# Vectors are weighed on indexes that have them; the match with the question is the unit of all other weights.
FIXED = {"match", "dense"}
STEPS = (-0.3, -0.15, -0.08, -0.04, 0.04, 0.08, 0.15, 0.3, 0.5)
NAMES = tuple(WEIGHTS)


@dataclass(frozen=True)
class Remembering:
    """A selector that keeps the last state it was asked about."""

    inner: LearnedFusion
    seen: list[State] = field(default_factory=list)

    def select(self, state: State, context: Context) -> Selection:
        self.seen[:] = [state]
        return self.inner.select(state, context)


@dataclass(frozen=True)
class Table:
    """The candidates of every question of a set: features, which are gold, which exist, how many are wanted."""

    features: NDArray[np.float32]
    gold: NDArray[np.bool_]
    real: NDArray[np.bool_]
    wanted: NDArray[np.int64]

    def scores(self, weights: NDArray[np.float32], k: int) -> tuple[float, float]:
        """All-gold@k and recall@k under these weights."""
        score = np.where(self.real, self.features @ weights, -1e9)
        k = min(k, score.shape[1])
        top = np.argpartition(-score, k - 1, axis=1)[:, :k]
        found = np.take_along_axis(self.gold, top, axis=1).sum(axis=1)
        return float((found == self.wanted).mean()), float((found / self.wanted).mean())


def tabulate(engine: Engine, dataset: Dataset, k: int, weights: Mapping[str, float]) -> Table:
    rows = []
    for question in dataset.questions:
        spy = Remembering(LearnedFusion(dict(weights)))
        loop.run(dataclasses.replace(AUTO_FAST, selector=spy), question.text, k, engine.index())
        state = spy.seen[0]
        described = features(state)
        gold = [state.pool[id].passage.document_id in question.gold for id in described]
        rows.append(([[row.get(n, 0.0) for n in NAMES] for row in described.values()], gold, len(question.gold)))
    widest = max(len(gold) for _, gold, _ in rows)
    table = Table(
        np.zeros((len(rows), widest, len(NAMES)), np.float32),
        np.zeros((len(rows), widest), bool),
        np.zeros((len(rows), widest), bool),
        np.array([wanted for _, _, wanted in rows]),
    )
    for i, (described_rows, gold, _) in enumerate(rows):
        if gold:
            table.features[i, : len(gold)] = described_rows
            table.gold[i, : len(gold)] = gold
            table.real[i, : len(gold)] = True
    return table


def objective(tables: Mapping[int, list[Table]], weights: NDArray[np.float32]) -> float:
    """Average over the sets, a set's own budget counting three times the other one."""
    values = []
    for own, of_budget in tables.items():
        for table in of_budget:
            values += [(3 if k == own else 1) * sum(table.scores(weights, k)) / 8 for k in BUDGETS]
    return sum(values) / sum(len(t) for t in tables.values())


def climb(
    tables: Mapping[int, list[Table]], weights: NDArray[np.float32], seed: int
) -> tuple[NDArray[np.float32], float]:
    best = objective(tables, weights)
    order = np.random.default_rng(seed)
    for _ in range(4):
        for j in order.permutation(len(NAMES)):
            for step in STEPS if NAMES[j] not in FIXED else ():
                tried = weights.copy()
                tried[j] += step
                if (value := objective(tables, tried)) > best + 1e-5:
                    best, weights = value, tried
    return weights, best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/, hover/, exfever/, musique/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    sets = [(load(n, arguments.data, split="train", corpus=c), c, k) for n, c, k in SETS]
    engines = [open_index(arguments.indexes, dataset, corpus) for dataset, corpus, _ in sets]
    weights = np.array([WEIGHTS[n] for n in NAMES], np.float32)
    for round in range(1, arguments.rounds + 1):
        named = dict(zip(NAMES, weights.tolist(), strict=True))
        tables: dict[int, list[Table]] = {}
        for engine, (dataset, _, k) in zip(engines, sets, strict=True):
            tables.setdefault(k, []).append(tabulate(engine, dataset, k, named))
        print(f"round {round}: {objective(tables, weights):.4f} with the weights so far")
        weights, value = max((climb(tables, weights, seed) for seed in range(4)), key=lambda found: found[1])
        print(f"round {round}: {value:.4f} after climbing")
        for k, of_budget in tables.items():
            for table in of_budget:
                everything = float((table.gold.sum(axis=1) == table.wanted).mean())
                complete, recall = table.scores(weights, k)
                print(
                    f"  n={len(table.wanted):4} all-gold@{k} {complete:.3f} recall@{k} {recall:.3f}"
                    f" in the pool {everything:.3f}"
                )
    print("WEIGHTS: Mapping[str, float] = {")
    for name, weight in zip(NAMES, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print("}")


if __name__ == "__main__":
    main()
