"""Gradient-boosted trees (Friedman 2001), stored as plain arrays and evaluated with NumPy.

`training/boost.py` fits them; nothing of the library that did so is needed to use them.
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
    """Binary trees side by side, one row each, padded to the same number of nodes.

    An inner node goes left when its feature is at most its threshold; a leaf is its own left and right child.
    """

    features: tuple[str, ...]
    """What the columns of the input must be, in this order."""
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    depth: int

    @classmethod
    def of(cls, stored: Mapping[str, NDArray[Any]], prefix: str = "") -> BoostedTrees:
        """Read trees from arrays by name, as `training/boost.py` writes them; several sets tell theirs by a prefix."""
        arrays = {name: stored[f"{prefix}{name}"] for name in ("feature", "threshold", "left", "right", "value")}
        return cls(tuple(stored[f"{prefix}features"].tolist()), depth=int(stored[f"{prefix}depth"]), **arrays)

    def score(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Add up the leaves that each row falls into: the log-odds that it is evidence."""
        trees, nodes = self.feature.shape
        # All trees of all rows descend together, one level at a time; nodes are counted through all trees.
        roots = np.arange(trees, dtype=np.int64) * nodes
        node = np.broadcast_to(roots, (len(rows), trees))
        for _ in range(self.depth):
            values = np.take_along_axis(rows, self.feature.take(node), axis=1)
            node = np.where(values <= self.threshold.take(node), self.left.take(node), self.right.take(node)) + roots
        found: NDArray[np.float32] = self.value.take(node).sum(axis=1, dtype=np.float32)
        return found


@cache
def boosted_trees() -> BoostedTrees:
    """Load the trees that come with the package."""
    with resources.files(__package__).joinpath("data", "evidence.npz").open("rb") as file, np.load(file) as stored:
        return BoostedTrees.of(stored)
