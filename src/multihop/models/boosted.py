"""Gradient-boosted trees (Friedman 2001), stored as plain arrays and evaluated with NumPy.

`training/boost.py` fits them; the library it uses is not needed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Binary trees, one row each, padded to the same number of nodes.

    An inner node goes left when its feature is at most its threshold; a leaf is its own left and right child.
    """

    features: tuple[str, ...]
    """Names of the input columns, in order."""
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    depth: int

    @classmethod
    def of(cls, stored: Mapping[str, NDArray[Any]], prefix: str = "") -> BoostedTrees:
        """Load trees from arrays by name, as `training/boost.py` writes them; a prefix distinguishes several sets."""
        arrays = {name: stored[f"{prefix}{name}"] for name in ("feature", "threshold", "left", "right", "value")}
        return cls(tuple(stored[f"{prefix}features"].tolist()), depth=int(stored[f"{prefix}depth"]), **arrays)

    def score(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sum the leaves of each row: the log-odds that it is evidence."""
        trees, nodes = self.feature.shape
        # All trees of all rows descend together, level by level; nodes are numbered across trees.
        roots = np.arange(trees, dtype=np.int64) * nodes
        node = np.broadcast_to(roots, (len(rows), trees))
        for _ in range(self.depth):
            values = np.take_along_axis(rows, self.feature.take(node), axis=1)
            node = np.where(values <= self.threshold.take(node), self.left.take(node), self.right.take(node)) + roots
        log_odds: NDArray[np.float32] = self.value.take(node).sum(axis=1, dtype=np.float32)
        return log_odds


@cache
def boosted_trees() -> BoostedTrees:
    """Load the built-in trees."""
    with resources.files(__package__).joinpath("data", "evidence.npz").open("rb") as file, np.load(file) as stored:
        return BoostedTrees.of(stored)
