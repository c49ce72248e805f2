"""Boosted trees as arrays: each row goes its own way through each tree."""

from __future__ import annotations

import numpy as np
import pytest

from multihop.models import BoostedTrees, boosted_trees
from multihop.parts.selectors.features import FEATURES

TWO = BoostedTrees(
    ("a", "b"),
    feature=np.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]], np.int16),
    threshold=np.array([[0.5, 0, 0, 0, 0], [1.0, 2.0, 0, 0, 0]], np.float32),
    left=np.array([[1, 1, 2, 3, 4], [2, 3, 2, 3, 4]], np.int16),
    right=np.array([[2, 1, 2, 3, 4], [1, 4, 2, 3, 4]], np.int16),
    value=np.array([[0, 1, -1, 0, 0], [0, 0, 10, 20, 30]], np.float32),
    depth=2,
)
"""The first asks once whether a is at most 0.5; the second asks for b at most 1, and beyond that for b at most 2."""


def test_a_row_goes_left_when_its_feature_is_at_most_the_threshold() -> None:
    rows = np.array([[0.5, 1.0], [0.6, 1.5], [0.0, 9.0]], np.float32)
    assert TWO.score(rows).tolist() == [11.0, 19.0, 31.0]


def test_no_rows_have_no_scores() -> None:
    assert TWO.score(np.zeros((0, 2), np.float32)).shape == (0,)


def test_the_trees_of_the_package_know_the_features_that_are_made() -> None:
    trees = boosted_trees()
    assert trees.features == FEATURES
    assert trees is boosted_trees()
    blank = np.zeros((1, len(FEATURES)), np.float32)
    named = blank.copy()
    named[0, [FEATURES.index(n) for n in ("match", "name", "fusion", "cover", "title in question")]] = 1.0
    assert trees.score(named)[0] > trees.score(blank)[0]


def leaf(trees: BoostedTrees, tree: int, row: list[float]) -> float:
    """Descend one tree from its root."""
    node = 0
    while trees.left[tree, node] != node:
        goes_left = row[trees.feature[tree, node]] <= trees.threshold[tree, node]
        node = int((trees.left if goes_left else trees.right)[tree, node])
    return float(trees.value[tree, node])


def test_every_row_gets_the_sum_of_the_leaves_that_it_reaches() -> None:
    trees = boosted_trees()
    random = np.random.default_rng(7)
    # Half of the values are thresholds themselves, where it counts that "at most" goes left.
    rows = random.choice([*trees.threshold.ravel(), *random.normal(size=4000)], (40, len(FEATURES))).astype(np.float32)
    expected = [sum(leaf(trees, tree, row) for tree in range(len(trees.feature))) for row in rows.tolist()]
    assert trees.score(rows).tolist() == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("leaves", [2, 15, 16, 31, 32, 63])
def test_a_tree_may_have_up_to_63_leaves(leaves: int) -> None:
    # Inner nodes 0, 1, 2 … ask whether a is at most 0, 1, 2 …, and all but the last lead on to the right.
    inner, nodes = leaves - 1, np.arange(2 * leaves - 1)
    left = np.where(nodes < inner, nodes + inner, nodes)
    right = np.where(nodes < inner, nodes + 1, nodes)
    right[inner - 1] = 2 * leaves - 2
    value = np.where(nodes < inner, 0, nodes - inner)
    chain = BoostedTrees(
        ("a",), np.zeros((1, len(nodes)), np.int16), nodes[None].astype(np.float32), left[None], right[None],
        value[None].astype(np.float32), depth=inner,
    )  # fmt: skip
    rows = np.arange(leaves, dtype=np.float32)[:, None]
    assert chain.score(rows).tolist() == [*range(leaves)]
