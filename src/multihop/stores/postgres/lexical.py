"""BM25 over posting tables, in plain SQL.

The formula, its constants and the rounding of lengths are those of tantivy, which the embedded store uses, so that both
rank alike: Σ idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)). Scores are summed on the server, next to
the postings; few given passages are scored here, from the terms that each of them carries.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.stores.lexical import COMMON
from multihop.stores.postgres.connecting import Snapshot, Statement
from multihop.stores.postgres.filters import Passing
from multihop.stores.postgres.packing import LENGTHS, PART, number, term, unpack_terms

K1, B = 1.2, 0.75
Weights = Mapping[str, float]
Ranked = list[tuple[int, str, int, float]]
"""Passages by number, document, position and score."""
_MORE = 16
_RANK = f"""
    SELECT t.number, p.document, p.position, t.score FROM (
        SELECT s.part, s.number, s.score FROM (
            SELECT part, part::bigint * {PART} + place AS number, sum(weight * count / (count + norm))::real AS score
            FROM (
                SELECT o.part, c.code >> 16 AS place, q.weight, ((c.code >> 8) & 255)::float8 AS count,
                       (%s::float8[])[(c.code & 255) + 1] AS norm
                FROM unnest(%s::text[], %s::float8[]) AS q(term, weight) JOIN posting o ON o.term = q.term
                CROSS JOIN LATERAL unnest(o.codes) AS c(code)
            ) AS used GROUP BY part, place
        ) AS s WHERE true{{filter}} ORDER BY s.score DESC, s.number LIMIT %s
    ) AS t JOIN passage p ON p.part = t.part AND p.number = t.number"""
_AMONG = """
    SELECT p.number, p.document, p.position, p.length, p.terms FROM passage p
    WHERE p.number = ANY(%s::bigint[]) AND p.part = ANY(%s::integer[])"""


class Statistics:
    """What BM25 must know of the whole index at one generation; what was asked once is remembered."""

    def __init__(self, meta: Mapping[str, str]) -> None:
        self.generation = int(meta["generation"])
        # tantivy counts the document that holds its stamp, too.
        self.passages = int(meta["passages"]) + 1
        average = int(meta["words"]) / self.passages
        self.norms: NDArray[np.float64] = K1 * (1 - B + B * LENGTHS / max(average, 1e-9))
        self.norms_given = self.norms.tolist()
        self._used: dict[str, int] = {}

    def weigh(self, snapshot: Snapshot, queries: Sequence[str], rough: bool) -> list[Weights]:
        """Give the terms of each query with their weights, those of no passage left out."""
        counts = [Counter(map(term, text.terms(query))) for query in queries]
        unknown = sorted({t for c in counts for t in c if t not in self._used})
        if unknown:
            found = dict(snapshot.rows("SELECT term, passages FROM term WHERE term = ANY(%s)", (unknown,)))
            self._used |= {t: int(found.get(t, 0)) for t in unknown}
        return [self._weights(c, rough) for c in counts]

    def _weights(self, counts: Counter[str], rough: bool) -> Weights:
        used = {t: self._used.get(t, 0) for t in counts}
        if rough:
            # As the embedded store does: an unknown word is a rare one, and keeps the common ones out.
            rare = {t: n for t, n in used.items() if n < self.passages / COMMON}
            used = rare or used
        return {t: counts[t] * self._idf(n) * (K1 + 1) for t, n in used.items() if n}

    def _idf(self, used: int) -> float:
        return math.log(1 + (self.passages - used + 0.5) / (used + 0.5))


def rank(
    snapshot: Snapshot, statistics: Statistics, queries: Sequence[Weights], limit: int, passing: Passing
) -> list[Ranked]:
    """Rank passages for each query, all in one round trip; those that tie with the last one asked for are given too."""
    found: list[Ranked] = [[] for _ in queries]
    open_ = [i for i, weights in enumerate(queries) if weights and limit > 0]
    fetch = limit + _MORE
    while open_:
        statements = [_statement(statistics, queries[i], fetch, passing) for i in open_]
        for i, rows in zip(open_, snapshot.many(statements), strict=True):
            found[i] = sorted(((n, d, p, s) for n, d, p, s in rows), key=lambda hit: (-hit[3], hit[0]))
        # When the last one still ties with the last one asked for, there may be more of them.
        open_ = [i for i in open_ if len(found[i]) == fetch and found[i][-1][3] >= found[i][limit - 1][3]]
        fetch *= 4
    return found


def _statement(statistics: Statistics, weights: Weights, fetch: int, passing: Passing) -> Statement:
    values: list[Any] = [statistics.norms_given, list(weights), list(weights.values()), *passing.values, fetch]
    return _RANK.format(filter=passing.on("s")), values


def among(
    snapshot: Snapshot, statistics: Statistics, queries: Sequence[Weights], numbers: Sequence[int]
) -> list[Ranked]:
    """Score given passages for each query; those that share no term with it are left out."""
    if not numbers or not any(queries):
        return [[] for _ in queries]
    rows = snapshot.rows(_AMONG, (list(numbers), parts(numbers)))
    unpacked = [unpack_terms(bytes(row[4])) for row in rows]
    sizes = [len(terms) for terms, _ in unpacked]
    place = np.repeat(np.arange(len(rows)), sizes)
    terms = np.concatenate([t for t, _ in unpacked]) if unpacked else np.empty(0, np.int64)
    counts = np.concatenate([c for _, c in unpacked]).astype(np.float64) if unpacked else np.empty(0)
    norms = statistics.norms[[row[3] for row in rows]][place]
    values = counts / (counts + norms)
    return [_scored(rows, place, terms, values, weights) for weights in queries]


def _scored(
    rows: Sequence[tuple[Any, ...]],
    place: NDArray[np.int64],
    terms: NDArray[np.int64],
    values: NDArray[np.float64],
    weights: Weights,
) -> Ranked:
    scores = np.zeros(len(rows))
    for name, weight in weights.items():
        used = terms == number(name)
        scores += np.bincount(place[used], weight * values[used], minlength=len(rows))
    rounded = scores.astype(np.float32).tolist()
    return [(row[0], row[1], row[2], score) for row, score in zip(rows, rounded, strict=True) if score > 0]


def parts(numbers: Iterable[int]) -> list[int]:
    """The parts that passages lie in: what lets a distributed server ask only the nodes that hold them."""
    return sorted({n // PART for n in numbers})
