"""The vector cache: approximate nearest neighbors over the passages' vectors, served by usearch.

The database has every vector; the cache holds those up to some row and says in its file name which. What came later
(the tail) is searched exactly, so the cache may lag behind without anyone noticing, and is rewritten only when the
tail has grown.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop.index.stores.core import search
from multihop.index.stores.sqlite import checksums, schema
from multihop.index.stores.sqlite.schema import Connection
from multihop.index.streams import in_batches

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
Scores = tuple[Rows, Vectors]
_ALONE = 1000


class VectorCache:
    """The vectors of one generation: an approximate index over most of them, the tail in memory."""

    def __init__(self, folder: Path, connection: Connection, dimension: int) -> None:
        self._folder = folder
        self._connection = connection
        self._dimension = dimension
        self._index, self._last, self.damaged = _load(folder, dimension)
        self._tail_rows, self._tail = self._read_vectors("passage > ?", (self._last,))
        # Rows that were deleted since the cache was written still turn up in it; fetch as many more.
        held = len(self._tail_rows) + self._indexed_count
        self._stale = max(0, held - int(connection.rows("SELECT count(*) FROM passage")[0][0]))

    @property
    def _indexed_count(self) -> int:
        return 0 if self._index is None else len(self._index)

    def save_if_grown(self) -> bool:
        """Rewrite the cache when the tail has grown past a tenth; True when there is a new one to load.

        A cache that cannot be written (the disk is full) is left as it is: the tail then stays longer.
        """
        if max(len(self._tail_rows), self._stale) <= max(search.EXACT, self._indexed_count // 10):
            return False
        rows, vectors = self._read_vectors("passage > ?", (0,))
        unfinished = self._folder / "vectors.new"
        last = int(rows[-1]) if len(rows) else 0
        with suppress(OSError, RuntimeError):
            if last:
                index = _empty(self._dimension)
                # Threads that begin a graph together now and then leave vectors in it that no path leads to.
                index.add(rows[:_ALONE], vectors[:_ALONE], threads=1)
                index.add(rows[_ALONE:], vectors[_ALONE:])
                # Off to the side and then in one rename, so that a crash leaves the old one or the new one.
                index.save(str(unfinished))
                file = self._folder / f"vectors.{last}.usearch"
                unfinished.replace(file)
                checksums.write(_beside(file), [file])
            self.delete(self._folder, but=last)
            return True
        unfinished.unlink(missing_ok=True)
        return False

    def rank(self, vector: Vectors, limit: int, allowed: Rows | None = None) -> list[tuple[int, float]]:
        """Rank rows by cosine similarity. A small `allowed` is compared exactly, a large one is over-fetched.

        There may be more hits than asked: as many as rows were deleted since the cache was written, which may still be
        among them, and those that tie with the last, so that the caller can break the tie.
        """
        if limit < 1:
            return []
        if allowed is not None and len(allowed) <= search.EXACT:
            return _best(_score(*self.among(allowed), vector), limit)
        limit += self._stale
        tail = _score(self._tail_rows, self._tail, vector)
        if not (indexed := self._indexed_count):
            return _best(_passing(tail, allowed), limit)
        fetch = limit if allowed is None else int(limit * 1.5 * indexed / max(1, len(allowed))) + 20
        while True:
            fetch = min(fetch, indexed)
            matches = self._index.search(vector, fetch, exact=fetch == indexed)
            rows = np.asarray(matches.keys, dtype=np.int64)
            passing = rows if allowed is None else rows[np.isin(rows, allowed)]
            if len(passing) >= limit or fetch == indexed:
                # The cache compares in half precision; scored again, its rows compare with those of the tail.
                near, rest = _score(*self.among(passing), vector), _passing(tail, allowed)
                return _best((np.concatenate([near[0], rest[0]]), np.concatenate([near[1], rest[1]])), limit)
            fetch *= 4

    def compare(self) -> tuple[int, int]:
        """Count the vectors that the database has and this cache lacks, and those that only the cache still has."""
        stored = {int(r[0]) for r in self._connection.rows("SELECT passage FROM vector")}
        cached = set(self._tail_rows.tolist())
        if self._index is not None:
            cached.update(np.asarray(self._index.keys).tolist())
        return len(stored - cached), len(cached - stored)

    @staticmethod
    def delete(folder: Path, but: int = 0) -> None:
        """Delete the cache, but for one up to a given row; without any, all vectors are part of the tail."""
        for file in folder.glob("vectors.*.usearch"):
            if _last_row(file) != but:
                _beside(file).unlink(missing_ok=True)
                file.unlink(missing_ok=True)

    def among(self, rows: Rows) -> tuple[Rows, Vectors]:
        """Read the vectors of these rows, by row; a row without one is left out."""
        blocks = [
            self._read_vectors(f"passage IN ({','.join('?' * len(b))})", tuple(b))
            for b in in_batches(rows.tolist(), 900)
        ]
        if not blocks:
            return rows[:0], np.empty((0, self._dimension), dtype=np.float32)
        return np.concatenate([r for r, _ in blocks]), np.concatenate([v for _, v in blocks])

    def _read_vectors(self, condition: str, values: tuple[int, ...]) -> tuple[Rows, Vectors]:
        sql = f"SELECT passage, data FROM vector WHERE {condition} ORDER BY passage"
        stored = self._connection.rows(sql, values)
        rows = np.array([r for r, _ in stored], dtype=np.int64)
        if any(len(data) != 2 * self._dimension for _, data in stored):
            raise schema.damage_error(f"a vector does not have {self._dimension} numbers")
        packed = np.frombuffer(b"".join(d for _, d in stored), dtype=np.float16)
        return rows, packed.reshape(len(stored), self._dimension).astype(np.float32)


def pack(vector: Vectors) -> bytes:
    """Turn one vector into the bytes that are stored: half precision, which costs no measurable recall."""
    return vector.astype(np.float16).tobytes()


def unpack(data: bytes) -> Vectors:
    """Read back what `pack` has written."""
    return np.frombuffer(data, dtype=np.float16).astype(np.float32)


def _empty(dimension: int) -> Any:
    # Imported here: without an embedder nobody pays for it.
    from usearch.index import Index

    return Index(ndim=dimension, metric="cos", dtype="f16")


def damaged_files(folder: Path) -> list[str]:
    """Name the cache files that are not as they were written, reading all of them."""
    return [name for file in _files(folder) for name in _wrong(file, completely=True)]


def _load(folder: Path, dimension: int) -> tuple[Any, int, list[str]]:
    wrong: list[str] = []
    for file in _files(folder):
        # usearch believes what it maps into memory, and follows wrong bytes wherever they lead.
        if bad := _wrong(file):
            wrong += bad
            continue
        index = _empty(dimension)
        try:
            index.view(str(file))
        except (RuntimeError, ValueError, OSError):
            continue
        if index.ndim == dimension:
            return index, _last_row(file), wrong
    return None, 0, wrong


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("vectors.*.usearch"), key=_last_row, reverse=True)


def _beside(file: Path) -> Path:
    return file.with_suffix(".sums")


def _wrong(file: Path, *, completely: bool = False) -> list[str]:
    return checksums.damaged_files([file], checksums.read_checksums(_beside(file)), completely=completely)


def _last_row(file: Path) -> int:
    middle = file.name.split(".")[1]
    return int(middle) if middle.isdigit() else -1


def _score(rows: Rows, vectors: Vectors, vector: Vectors) -> Scores:
    # Unlike a matrix product, this adds up every row in the same order, so that equal vectors score alike.
    return rows, np.einsum("ij,j->i", vectors, vector)


def _passing(hits: Scores, allowed: Rows | None) -> Scores:
    if allowed is None:
        return hits
    passes = np.isin(hits[0], allowed)
    return hits[0][passes], hits[1][passes]


def _best(hits: Scores, limit: int) -> list[tuple[int, float]]:
    """Return the best hits, and those that tie with the last of them."""
    rows, scores = hits
    if len(rows) > limit:
        enough = scores >= np.partition(scores, -limit)[-limit]
        rows, scores = rows[enough], scores[enough]
    best = np.lexsort((rows, -scores))
    return [(int(rows[i]), float(scores[i])) for i in best]
