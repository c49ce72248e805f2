from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from multihop.profiles.signals import arrays
from multihop.profiles.signals.arrays import Texts, WordLists, in_blocks, pack, to_half, unpack
from multihop.profiles.signals.scoring import similarity


def test_lists_of_words_are_given_again_as_often_as_wanted() -> None:
    given = [["carbon", "price"], [], ["price", "price", "é"]]
    lists = WordLists(iter(given))
    assert len(lists) == 3
    assert list(lists) == list(lists) == given
    assert list(WordLists([])) == []


def test_vectors_are_halved_only_where_that_loses_nothing() -> None:
    exact = np.array([[0.5, 1.0], [0.25, -2.0]], dtype=np.float32)
    assert to_half(exact).dtype == np.float16
    assert np.array_equal(to_half(exact), exact)
    for more in (np.float32(0.1), np.float32(1e6)):
        other = np.concatenate([exact, np.array([[more, 1.0]], dtype=np.float32)])
        assert to_half(other) is other


@pytest.mark.parametrize("given", [[], [""], ["a", "", "é"], ["two\nlines", "x"], ["\udc80", "年"]])
def test_each_of_many_texts_can_be_read_alone(given: list[str]) -> None:
    texts = Texts.of(Texts.arrays("x", given), "x")
    assert len(texts) == len(given)
    assert texts.all() == [texts[place] for place in range(len(texts))] == given


def test_arrays_come_back_as_they_were_and_aligned() -> None:
    values: dict[str, Any] = {
        "odd": np.arange(3, dtype=np.uint8),
        "none": np.zeros((0, 2)),
        "long": np.arange(4, dtype=np.int64),
    }
    found = unpack(pack(values))
    assert {name: v.tolist() for name, v in found.items()} == {name: v.tolist() for name, v in values.items()}
    assert found["long"].flags.aligned


def test_a_sequence_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK", 2)
    assert list(in_blocks("abcde")) == ["ab", "cd", "e"]


def test_a_similarity_is_the_same_however_many_rows_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    values = chance.standard_normal((7, 5)).astype(np.float16)
    vector = chance.standard_normal(5).astype(np.float32)
    wanted = np.clip(values.astype(np.float64) @ vector.astype(np.float64), 0.0, 1.0)
    for size in (1, 3, 100):
        monkeypatch.setattr(arrays, "BLOCK", size)
        assert similarity(values, vector) == pytest.approx(wanted, abs=1e-6)
    assert not similarity(values, vector[:4]).any()
