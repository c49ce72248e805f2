from __future__ import annotations

import numpy as np
import pytest

from multihop.profiles.signals import arrays
from multihop.profiles.signals.arrays import Rows, WordLists, in_blocks, stacked
from multihop.profiles.signals.scoring import similarity


def test_lists_of_words_are_given_again_as_often_as_wanted() -> None:
    given = [["carbon", "price"], [], ["price", "price", "é"]]
    lists = WordLists(iter(given))
    assert len(lists) == 3
    assert list(lists) == list(lists) == given
    assert list(WordLists([])) == []


def test_vectors_are_held_in_half_precision_only_where_that_loses_nothing() -> None:
    exact = np.array([[0.5, 1.0], [0.25, -2.0], [0.0, 3.0]], dtype=np.float32)
    rows = stacked([exact[:2], exact[2:]], 3)
    assert rows.values.dtype == np.float16
    assert np.array_equal(rows.all(), exact)
    for more in (np.float32(0.1), np.float32(1e6)):
        other = np.concatenate([exact, np.array([[more, 1.0]], dtype=np.float32)])
        mixed = stacked([other[:2], other[2:]], 4)
        assert mixed.values.dtype == np.float32
        assert np.array_equal(mixed.all(), other)
    assert len(stacked([], 0)) == 0


def test_a_sequence_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK", 2)
    assert list(in_blocks("abcde")) == ["ab", "cd", "e"]


def test_a_similarity_is_the_same_in_blocks_and_in_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    values = chance.standard_normal((7, 5)).astype(np.float16)
    vector = chance.standard_normal(5).astype(np.float32)
    wanted = np.clip(values.astype(np.float64) @ vector.astype(np.float64), 0.0, 1.0)
    places = np.array([6, 0, 3, 3], dtype=np.int32)
    for size in (1, 3, 100):
        monkeypatch.setattr(arrays, "BLOCK", size)
        assert similarity(Rows(values), vector) == pytest.approx(wanted, abs=1e-6)
        assert similarity(Rows(values, places), vector) == pytest.approx(wanted[places], abs=1e-6)
    assert not similarity(Rows(values), vector[:4]).any()
