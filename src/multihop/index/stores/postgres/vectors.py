"""Nearest passages by their vectors: pgvector's HNSW over half precision, or a comparison with all where they are few.

Whatever finds the candidates, their scores are worked out here from the stored vectors as the embedded store does.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from multihop.index.stores.core import search
from multihop.index.stores.core.rows import Ranked
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.filters import Passing
from multihop.index.stores.postgres.packing import parts
from multihop.index.stores.postgres.statements import Connection, Statement, concatenate, value
from multihop.protocols import Vectors

INDEX = "embedding_nearest"
_MORE = 16
_HEADER = struct.Struct(">hh")
_NEAR = """
    SELECT v.number, v.data FROM $embedding v WHERE true{filter}
    ORDER BY v.data::halfvec({dimension}) <#> %s::halfvec({dimension}) LIMIT %s"""
# The plus keeps the planner from the approximate index. In single precision, as the query is not rounded to half.
_EXACT = """
    SELECT v.number, v.data FROM $embedding v WHERE true{filter}
    ORDER BY (v.data::vector <#> %s::vector) + 0.0, v.number LIMIT %s"""
_BUILD = f"CREATE INDEX IF NOT EXISTS {INDEX} ON embedding USING hnsw ((data::halfvec({{dimension}})) halfvec_ip_ops)"
_AMONG = """
    SELECT v.number, v.data FROM $embedding v WHERE v.number = ANY(%s::bigint[]) AND v.part = ANY(%s::integer[])"""


def pack(vector: Vectors) -> bytes:
    """Write a vector as pgvector's halfvec does, for binary COPY."""
    return _HEADER.pack(len(vector), 0) + vector.astype(">f2").tobytes()


def unpack(data: Sequence[bytes]) -> Vectors:
    """Read vectors of one dimension, as pgvector writes them, into one row each."""
    rows = [np.frombuffer(each, dtype=">f2", offset=_HEADER.size) for each in data]
    return np.array(rows, dtype=np.float32).reshape(len(data), -1) if rows else np.empty((0, 0), dtype=np.float32)


def has_index(connection: Connection) -> bool:
    """Return whether the approximate index is there."""
    return value(connection, "SELECT to_regclass(%s)", (INDEX,)) is not None


def build(connection: Connection, dimension: int) -> None:
    """Build the approximate index over all vectors there are; later ones join it as they come."""
    with connection.transaction():
        # Local to the transaction, because only such settings reach the other nodes of a cluster.
        connection.execute("SET LOCAL maintenance_work_mem = '512MB'")
        connection.execute(_BUILD.format(dimension=int(dimension)))


def rank(snapshot: Snapshot, vectors: Vectors, limit: int, passing: Passing, size: int) -> list[Ranked]:
    """Rank the passages that pass, for each vector; where they are few, every one of them is compared."""
    if limit < 1 or not len(vectors):
        return [[] for _ in vectors]
    # An approximate index walks on until enough hits pass the filter, and at some point gives up.
    exact = size <= search.EXACT or limit >= size // 2
    ranked = _rank(snapshot, vectors, limit, passing, exact)
    if not exact and any(len(hits) < min(limit, size) for hits in ranked):
        return _rank(snapshot, vectors, limit, passing, exact=True)
    return ranked


def _rank(snapshot: Snapshot, vectors: Vectors, limit: int, passing: Passing, exact: bool) -> list[Ranked]:
    dimension = vectors.shape[1]
    sql = (_EXACT if exact else _NEAR).format(filter=passing.on("v"), dimension=dimension)
    results: list[Ranked] = [[] for _ in vectors]
    open_, fetch = list(range(len(vectors))), limit + _MORE
    while open_:
        statements = [Statement(sql, [*passing.values, _text(vectors[i]), fetch], concatenate) for i in open_]
        for i, rows in zip(open_, snapshot.many(statements), strict=True):
            # Shards that are read one by one return up to the limit each; here the best of all are taken.
            results[i] = score_rows(rows, vectors[i])[:fetch]
        ties = [i for i in open_ if len(results[i]) == fetch and results[i][-1][1] >= results[i][limit - 1][1]]
        open_, fetch = (ties if exact else []), fetch * 4
    return results


def among(snapshot: Snapshot, vectors: Vectors, numbers: Sequence[int]) -> list[Ranked]:
    """Compare given passages with each vector."""
    rows = snapshot.rows(_AMONG, (list(numbers), parts(numbers)), concatenate) if numbers else []
    return [score_rows(rows, vector) for vector in vectors]


def score_rows(rows: Sequence[tuple[Any, ...]], vector: Vectors) -> Ranked:
    """Score rows of number and vector, best first."""
    if not rows:
        return []
    # Adds up every row in the same order, so that equal vectors score alike.
    scores = np.einsum("ij,j->i", unpack([row[1] for row in rows]), vector).tolist()
    hits = [(row[0], score) for row, score in zip(rows, scores, strict=True)]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def _text(vector: Vectors) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"
