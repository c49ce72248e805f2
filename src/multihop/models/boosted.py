"""Gradient-boosted trees (Friedman 2001), stored as plain arrays and evaluated with NumPy.

Every test is made of every row. One that fails rules out the leaves on its left, and a row reaches the first leaf that
is not ruled out (QuickScorer, Lucchese et al. 2015): three times faster here than descending level by level.
`training/boost.py` fits them; the library it uses is not needed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Binary trees of fewer than 64 leaves, one row each, padded to the same number of nodes.

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
        tests, leaves = self._compiled
        columns = np.ascontiguousarray(rows.T)
        ruled_out = np.zeros((len(leaves), len(rows)), _bits(leaves.shape[1]))
        for feature, threshold, left in tests:
            ruled_out |= (columns.take(feature, axis=0) > threshold) * left
        # The lowest bit that is not set; as a float, a power of two has an exact logarithm.
        first = ~ruled_out & (ruled_out + ruled_out.dtype.type(1))
        reached = np.take_along_axis(leaves, np.log2(first.astype(np.float64)).astype(np.intp), axis=1)
        log_odds: NDArray[np.float32] = np.ascontiguousarray(reached.T).sum(axis=1, dtype=np.float32)
        return log_odds

    @cached_property
    def _compiled(self) -> tuple[list[tuple[NDArray[Any], ...]], NDArray[np.float32]]:
        """The tests of all trees, one of each at a time, and the values of their leaves from left to right.

        A test is the column that it asks, its threshold, and the leaves on its left as bits.
        """
        trees = [self._parse(number) for number in range(len(self.feature))]
        leaves = np.zeros((len(trees), max(len(values) for _, values in trees)), np.float32)
        for row, (_, values) in zip(leaves, trees, strict=True):
            row[: len(values)] = values
        # A tree with fewer tests has some that rule nothing out.
        by_place = zip_longest(*(tests for tests, _ in trees), fillvalue=(0, 0.0, 0))
        bits = _bits(leaves.shape[1])
        tests: list[tuple[NDArray[Any], ...]] = []
        for feature, threshold, left in (zip(*each, strict=True) for each in by_place):
            column = np.array(threshold, np.float32)[:, None]
            tests.append((np.array(feature, np.intp), column, np.array(left, bits)[:, None]))
        return tests, leaves

    def _parse(self, tree: int) -> tuple[list[tuple[int, float, int]], list[float]]:
        """Return the tests of a tree, each with the leaves on its left as bits, and the values of its leaves."""
        tests: list[tuple[int, float, int]] = []
        leaves: list[float] = []

        def visit(node: int) -> None:
            left, right = int(self.left[tree, node]), int(self.right[tree, node])
            if left == node:
                leaves.append(float(self.value[tree, node]))
                return
            before = len(leaves)
            visit(left)
            on_left = (1 << len(leaves)) - (1 << before)
            tests.append((int(self.feature[tree, node]), float(self.threshold[tree, node]), on_left))
            visit(right)

        visit(0)
        return tests, leaves


def _bits(leaves: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest kind of number that has a bit for every leaf, and one more."""
    return next(kind for size, kind in ((16, np.uint16), (32, np.uint32), (64, np.uint64)) if leaves < size)


@cache
def boosted_trees() -> BoostedTrees:
    """Load the built-in trees."""
    with resources.files(__package__).joinpath("data", "evidence.npz").open("rb") as file, np.load(file) as stored:
        return BoostedTrees.of(stored)
