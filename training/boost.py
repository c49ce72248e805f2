"""Fit the boosted trees of `RankedFusion` on collected pools, and say what they do on questions they have not seen.

    python training/boost.py --pools .training --out src/multihop/models/data/evidence.npz

Every labeled set weighs as the root of its size, so that no set drowns another; the written questions are noisy and
weigh half as much as one such set. The figures are of five folds: each question is ranked by trees that never saw it.
Needs LightGBM: pip install --group training
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from multihop.models import BoostedTrees, boosted_trees
from multihop.parts.selectors.features import FEATURES

LABELED = ("hotpotqa", "exfever", "hover", "musique")
FOLDS = 5
WRITTEN_WEIGHT = 0.5
TREES = 200
SETTINGS: Mapping[str, Any] = {
    "objective": "binary",
    "num_leaves": 12,
    "max_depth": 6,
    "learning_rate": 0.06,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Pools:
    """The candidates of the questions of a set."""

    rows: Sequence[Rows]
    gold: Sequence[NDArray[np.bool_]]
    wanted: NDArray[np.int64]

    @classmethod
    def load(cls, path: Path) -> Pools:
        with np.load(path) as stored:
            ends = np.cumsum(stored["sizes"])[:-1]
            rows = np.split(stored["rows"].astype(np.float32), ends)
            return cls(rows, np.split(stored["gold"], ends), stored["wanted"])

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, places: Sequence[int]) -> Pools:
        return Pools([self.rows[i] for i in places], [self.gold[i] for i in places], self.wanted[list(places)])

    def complete(self) -> Pools:
        """Keep the questions all of whose gold was found: what is missing cannot teach anything."""
        return self.only([i for i, gold in enumerate(self.gold) if gold.sum() == self.wanted[i]])

    def measure(self, scores: Sequence[NDArray[np.float32]]) -> str:
        """Recall at 5 and the share of questions with all their gold among the first 21."""
        recall, complete = [], []
        for gold, wanted, score in zip(self.gold, self.wanted, scores, strict=True):
            ranked = gold[np.argsort(-score, kind="stable")]
            recall.append(ranked[:5].sum() / wanted)
            complete.append(ranked[:21].sum() == wanted)
        return f"{np.mean(recall):.3f}/{np.mean(complete):.3f}"


def fit(sets: Sequence[tuple[Pools, float]], trees: int) -> lightgbm.Booster:
    """Fit trees to sets, each with its weight."""
    rows = np.concatenate([r for pools, _ in sets for r in pools.rows])
    gold = np.concatenate([g for pools, _ in sets for g in pools.gold])
    weights = np.concatenate(
        [np.full(len(g), weight / len(pools) ** 0.5) for pools, weight in sets for g in pools.gold]
    )
    data = lightgbm.Dataset(rows, gold.astype(np.int8), weight=weights / weights.mean(), feature_name=list(FEATURES))
    return lightgbm.train(dict(SETTINGS), data, trees)


def arrays(booster: lightgbm.Booster) -> dict[str, NDArray[Any]]:
    """Write trees out as the arrays that `BoostedTrees` reads."""
    found = [_nodes(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    shape = (len(found), max(len(nodes) for nodes in found))
    stored: dict[str, NDArray[Any]] = {
        "feature": np.zeros(shape, np.int16),
        "threshold": np.zeros(shape, np.float32),
        "left": np.zeros(shape, np.int16),
        "right": np.zeros(shape, np.int16),
        "value": np.zeros(shape, np.float32),
    }
    for tree, nodes in enumerate(found):
        for place, node in enumerate(nodes):
            for name, value in node.items():
                stored[name][tree, place] = value
    depth = max(_depth(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"])
    return {"features": np.array(FEATURES), "depth": np.array(depth), **stored}


def _nodes(root: Mapping[str, Any]) -> list[dict[str, float]]:
    nodes: list[dict[str, float]] = []

    def add(node: Mapping[str, Any]) -> int:
        place = len(nodes)
        nodes.append({})
        if "leaf_value" in node:
            nodes[place] = {"left": place, "right": place, "value": node["leaf_value"]}
        else:
            # Rounded down: a float32 at most the threshold stays at most the threshold.
            limit = np.float32(node["threshold"])
            limit = np.nextafter(limit, np.float32(-np.inf)) if limit > node["threshold"] else limit
            children = {"left": add(node["left_child"]), "right": add(node["right_child"])}
            nodes[place] = {"feature": node["split_feature"], "threshold": float(limit), **children}
        return place

    add(root)
    return nodes


def _depth(node: Mapping[str, Any]) -> int:
    return 0 if "leaf_value" in node else 1 + max(_depth(node["left_child"]), _depth(node["right_child"]))


def trees_of(stored: Mapping[str, NDArray[Any]]) -> BoostedTrees:
    rest = {name: stored[name] for name in ("feature", "threshold", "left", "right", "value")}
    return BoostedTrees(tuple(stored["features"].tolist()), depth=int(stored["depth"]), **rest)


def folds_of(
    sets: Mapping[str, Pools], written: Pools | None, trees: int
) -> Iterator[tuple[BoostedTrees, dict[str, list[int]]]]:
    """Fit trees to all folds but one, each fold in turn; say for each set which questions they have not seen."""
    random = np.random.default_rng(3)
    folds = {name: random.integers(0, FOLDS, len(pools)) for name, pools in sets.items()}
    for fold in range(FOLDS):
        seen = {n: pools.only(np.flatnonzero(folds[n] != fold).tolist()) for n, pools in sets.items()}
        fitted = trees_of(arrays(fit(_weighted(seen, written), trees)))
        yield fitted, {name: np.flatnonzero(of == fold).tolist() for name, of in folds.items()}


def unseen(sets: Mapping[str, Pools], written: Pools | None, trees: int) -> dict[str, str]:
    """Measure each set by trees that were fitted to the other folds."""
    scores: dict[str, dict[int, NDArray[np.float32]]] = {name: {} for name in sets}
    for fitted, left_out in folds_of(sets, written, trees):
        for name, pools in sets.items():
            for place in left_out[name]:
                scores[name][place] = fitted.score(pools.rows[place])
    return {name: pools.measure([scores[name][i] for i in range(len(pools))]) for name, pools in sets.items()}


def _weighted(sets: Mapping[str, Pools], written: Pools | None) -> list[tuple[Pools, float]]:
    found = [(pools, 1.0) for pools in sets.values()]
    return [*found, (written.complete(), WRITTEN_WEIGHT)] if written is not None else found


def collected(pools: Path) -> tuple[dict[str, Pools], Pools | None]:
    """Load the labeled sets that there are, and the written questions."""
    written = pools / "written-train.npz"
    labeled = {n: Pools.load(p) for n in LABELED if (p := pools / f"{n}-train.npz").exists()}
    return labeled, Pools.load(written) if written.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pools", type=Path, default=Path(".training"), help="where training/pools.py wrote them")
    parser.add_argument("--out", type=Path, help="write the trees, fitted to all questions, to this .npz file")
    parser.add_argument("--trees", type=int, default=TREES)
    arguments = parser.parse_args()
    sets, written = collected(arguments.pools)
    if not sets:
        parser.error(f"no *-train.npz file of a labeled set in {arguments.pools}; training/pools.py writes them")
    print("recall@5 / all-gold@21, of what the pool holds in its first 150")
    for name, measured in unseen(sets, written, arguments.trees).items():
        print(f"{name} train, five folds: {measured}", flush=True)
    stored = arrays(fit(_weighted(sets, written), arguments.trees))
    fitted = trees_of(stored)
    for path in sorted(arguments.pools.glob("*-dev.npz")):
        pools = Pools.load(path)
        print(f"{path.stem}: {pools.measure([fitted.score(rows) for rows in pools.rows])}", flush=True)
    if arguments.out:
        np.savez_compressed(arguments.out, allow_pickle=False, **stored)
        boosted_trees.cache_clear()
        print(f"wrote {arguments.out}, {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
