from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.vectors import Rows, VectorCache, Vectors, pack

DIMENSION = 8


def _vectors(count: int) -> Vectors:
    raw = np.random.default_rng(count).normal(size=(count, DIMENSION))
    rows: Vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    return rows


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[schema.Connection]:
    schema.create(tmp_path)
    connection = schema.connect(tmp_path, write=True)
    connection.execute("BEGIN")
    for row, vector in enumerate(_vectors(300), 1):
        connection.execute("INSERT INTO passage VALUES (?, ?, 1, 1, '', '', NULL)", (row, str(row)))
        connection.execute("INSERT INTO vector VALUES (?, ?)", (row, pack(vector)))
    connection.execute("COMMIT")
    yield connection
    connection.close()


@pytest.fixture
def caches(connection: schema.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[VectorCache]:
    """The same vectors twice: all in the tail, and all in the file."""
    tail = VectorCache(tmp_path, connection, DIMENSION)
    monkeypatch.setattr("multihop.index.stores.core.search.EXACT", 40)
    assert tail.save_if_grown()
    return [tail, VectorCache(tmp_path, connection, DIMENSION)]


def _exact(vector: Vectors, allowed: set[int]) -> list[int]:
    scores = np.einsum("ij,j->i", _vectors(300).astype(np.float16).astype(np.float32), vector)
    return sorted(allowed, key=lambda row: (-scores[row - 1], row))


@pytest.mark.parametrize("size", [1, 30, 200, 300])
def test_nearest_among_allowed_rows(caches: list[VectorCache], size: int) -> None:
    allowed: Rows = np.sort(np.random.default_rng(size).choice(300, size, replace=False).astype(np.int64) + 1)
    for query in _vectors(5):
        expected = _exact(query, set(allowed.tolist()))
        for cache in caches:
            assert [row for row, _ in cache.rank(query, 300, allowed)] == expected
            near = [row for row, _ in cache.rank(query, 10, allowed)]
            assert len(near) == min(10, size)
            # The file answers approximately, so that a neighbor may be missed.
            assert len(set(near) & set(expected[:10])) >= min(8, size)


def test_nearest_of_all(caches: list[VectorCache]) -> None:
    for query in _vectors(5):
        for cache in caches:
            assert cache.rank(query, 0) == []
            assert [row for row, _ in cache.rank(query, 1000)] == _exact(query, set(range(1, 301)))
            assert cache.rank(query, 3) == cache.rank(query, 300)[:3]


def test_equal_vectors_score_alike(tmp_path: Path) -> None:
    schema.create(tmp_path)
    connection = schema.connect(tmp_path, write=True)
    [one] = _vectors(1)
    connection.execute("BEGIN")
    for row in range(1, 18):
        connection.execute("INSERT INTO vector VALUES (?, ?)", (row, pack(one)))
    cache = VectorCache(tmp_path, connection, DIMENSION)
    for query in _vectors(20):
        assert len({score for _, score in cache.rank(query, 3)}) == 1
        assert len(cache.rank(query, 3)) == 17
    connection.close()
