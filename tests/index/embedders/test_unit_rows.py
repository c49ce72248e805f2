from __future__ import annotations

import numpy as np
import pytest

from multihop.errors import EmbeddingError
from multihop.index.embedders.unit_rows import as_matrix, unit_rows


def test_huge_and_tiny_vectors_become_unit_vectors() -> None:
    rows = unit_rows(["a", "b"], 2, "It", lambda _: [[3e300, 4e300], [3e-300, 4e-300]])
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)


def test_zero_vectors_stay_zero() -> None:
    rows = unit_rows(["a", "b"], 2, "It", lambda _: [[0, 0], [0, 2]])
    np.testing.assert_array_equal(rows, np.array([[0, 0], [0, 1]], dtype=np.float32))


def test_blank_texts_do_not_reach_the_model() -> None:
    seen: list[str] = []

    def compute(texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return [[1.0, 0.0]] * len(texts)

    rows = unit_rows(["", "a", "  ", "b"], 2, "It", compute)
    assert seen == ["a", "b"]
    np.testing.assert_array_equal(rows[:, 0], [0, 1, 0, 1])


def test_wrong_dimension() -> None:
    with pytest.raises(EmbeddingError, match="It gave vectors of 3 numbers where 2 were expected"):
        unit_rows(["a"], 2, "It", lambda _: [[1, 2, 3]])


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ([[1.0], [1.0, 2.0]], "unequal length"),
        ([["a", "b"], ["c", "d"]], "not a number"),
        ([[10**400], [1]], "not a number"),
        ([[1.0, 2.0]], r"shape \(1, 2\) for 2 texts"),
        ([[], []], r"shape \(2, 0\)"),
        ([1.0, 2.0], r"shape \(2,\)"),
        ([[1.0], [float("nan")]], "NaN or infinity"),
        ([[None], [1.0]], "NaN or infinity"),
        ([[1.0], [float("inf")]], "NaN or infinity"),
    ],
)
def test_nonsense_is_named(raw: list[list[float]], problem: str) -> None:
    with pytest.raises(EmbeddingError, match=problem):
        as_matrix(raw, 2, "It")
