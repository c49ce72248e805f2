"""Boosted trees as arrays: each row goes its own way through each tree."""

from __future__ import annotations

import numpy as np

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
