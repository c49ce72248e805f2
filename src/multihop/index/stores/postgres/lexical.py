"""BM25 over posting tables, in plain SQL.

The formula, its constants and the rounding of lengths are those of tantivy, which the embedded store uses, so that both
rank alike: Σ idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)). Many postings, and those that have to
pass a filter, are summed on the server, next to where they lie; few are fetched and summed here, and cached as long
as the index stays as it is. Given passages are scored from the terms that each of them carries.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.errors import StoreError
from multihop.index.stores.core import search
from multihop.index.stores.core.cache import GenerationCache
from multihop.index.stores.core.rows import Ranked
from multihop.index.stores.postgres.connections import Snapshot, Statement
from multihop.index.stores.postgres.filters import Passing
from multihop.index.stores.postgres.packing import LENGTHS, PART, number, parts, term, unpack_codes, unpack_terms

K1, B = 1.2, 0.75
Weights = Mapping[str, float]
Values = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The passages that use a term, and what that is worth to each before the term is weighed."""
FEW = 100_000
"""Up to so many postings of a query are fetched: summing them on the server would take longer than sending them."""
_CACHED_POSTINGS = 2_000_000
_DENSE = 4_000_000
_MORE = 16
_POSTINGS = "SELECT part, term, codes FROM posting WHERE term = ANY(%s)"
_RANK = f"""
    SELECT s.number, s.score FROM (
        SELECT part, part::bigint * {PART} + place AS number, sum(weight * count / (count + norm))::real AS score
        FROM (
            SELECT o.part, c.code >> 16 AS place, q.weight, ((c.code >> 8) & 255)::float8 AS count,
                   (%s::float8[])[(c.code & 255) + 1] AS norm
            FROM unnest(%s::text[], %s::float8[]) AS q(term, weight) JOIN posting o ON o.term = q.term
            CROSS JOIN LATERAL unnest(o.codes) AS c(code)
        ) AS used GROUP BY part, place
    ) AS s WHERE true{{filter}} ORDER BY s.score DESC, s.number LIMIT %s"""
_AMONG = """
    SELECT p.number, p.length, p.terms FROM passage p
    WHERE p.number = ANY(%s::bigint[]) AND p.part = ANY(%s::integer[])"""


class Statistics:
    """What BM25 must know of the whole index at one generation; what was asked once is cached."""

    def __init__(self, meta: Mapping[str, str]) -> None:
        self.meta = meta
        self.generation = int(meta["generation"])
        # tantivy counts the document that holds its stamp, too.
        self.passages = int(meta["passages"]) + 1
        average = int(meta["words"]) / self.passages
        self.norms: NDArray[np.float64] = K1 * (1 - B + B * LENGTHS / max(average, 1e-9))
        self.norms_given = self.norms.tolist()
        self._used: dict[str, int] = {}
        self._values: dict[str, Values] = {}
        self._cached = 0
        self.cache = GenerationCache()
        """What views of this generation have read and computed."""

    def postings(self, weights: Weights) -> int:
        """Count the postings that a query has to add up."""
        return sum(self._used[t] for t in weights)

    def values(self, snapshot: Snapshot, terms: Iterable[str]) -> dict[str, Values]:
        """Give the postings of terms, fetched in one round trip unless they are cached."""
        wanted = set(terms)
        known = {t: v for t in wanted if (v := self._values.get(t)) is not None}
        missing = sorted(wanted - known.keys())
        if missing:
            gathered: dict[str, list[Values]] = {t: [] for t in missing}
            for part, name, codes in snapshot.rows(_POSTINGS, (missing,)):
                gathered[name].append(self._decoded(part, unpack_codes(codes)))
            known |= {t: _joined(found) for t, found in gathered.items()}
            self._check({t: len(known[t][0]) for t in missing})
            self._cache_values({t: known[t] for t in missing})
        return known

    def _check(self, fetched: Mapping[str, int]) -> None:
        """Raise where a term has other postings than its count says: what is wrong must not be cached."""
        wrong = next((t for t, n in sorted(fetched.items()) if n != self._used.get(t, n)), None)
        if wrong is not None:
            raise StoreError(
                f"the index has {fetched[wrong]:,} postings of the term {wrong!r} where it counts "
                f"{self._used[wrong]:,}; run: multihop verify"
            )

    def _decoded(self, part: int, codes: NDArray[np.int32]) -> Values:
        counts = ((codes >> 8) & 255).astype(np.float64)
        return (codes >> 16).astype(np.int64) + part * PART, counts / (counts + self.norms[codes & 255])

    def _cache_values(self, values: Mapping[str, Values]) -> None:
        size = sum(len(numbers) for numbers, _ in values.values())
        if self._cached + size > _CACHED_POSTINGS:
            self._values, self._cached = {}, 0
        self._values.update(values)
        self._cached += size

    def weigh(self, snapshot: Snapshot, queries: Sequence[tuple[str, bool]]) -> list[Weights]:
        """Give the terms of each query, which may be a rough one, with their weights; those of no passage left out."""
        counts = [Counter(map(term, text.query_terms(query))) for query, _ in queries]
        self._count(snapshot, {t for c in counts for t in c})
        return [self._weights(c, rough) for c, (_, rough) in zip(counts, queries, strict=True)]

    def frequencies(self, snapshot: Snapshot, terms: Sequence[str]) -> list[int]:
        """Count the passages that use each term."""
        stored = [term(t) for t in terms]
        self._count(snapshot, stored)
        return [self._used[t] for t in stored]

    def _count(self, snapshot: Snapshot, terms: Iterable[str]) -> None:
        if unknown := sorted({t for t in terms if t not in self._used}):
            found = dict(snapshot.rows("SELECT term, passages FROM term WHERE term = ANY(%s)", (unknown,)))
            self._used |= {t: int(found.get(t, 0)) for t in unknown}

    def _weights(self, counts: Counter[str], rough: bool) -> Weights:
        used = {t: self._used.get(t, 0) for t in counts}
        if rough:
            # As the embedded store does: an unknown word is a rare one, and keeps the common ones out.
            rare = {t: n for t, n in used.items() if n < self.passages / search.COMMON}
            used = rare or used
        return {t: counts[t] * self._idf(n) * (K1 + 1) for t, n in used.items() if n}

    def _idf(self, used: int) -> float:
        return math.log(1 + (self.passages - used + 0.5) / (used + 0.5))


def _joined(found: Sequence[Values]) -> Values:
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0)
    return np.concatenate([numbers for numbers, _ in found]), np.concatenate([values for _, values in found])


def rank_here(snapshot: Snapshot, statistics: Statistics, asked: Sequence[tuple[Weights, int]]) -> list[Ranked]:
    """Rank the best passage numbers for each query by adding its postings up here; ties with the last are given too."""
    values = statistics.values(snapshot, {t for weights, _ in asked for t in weights})
    return [_top(weights, values, limit) for weights, limit in asked]


def _top(weights: Weights, values: Mapping[str, Values], limit: int) -> Ranked:
    if not weights or limit < 1:
        return []
    numbers, worth = _joined([(values[t][0], values[t][1] * weight) for t, weight in weights.items()])
    if not len(numbers):
        return []
    if numbers.max() < _DENSE:
        sums = np.bincount(numbers, worth)
        found = np.flatnonzero(sums)
        scores = sums[found].astype(np.float32)
    else:
        found, places = np.unique(numbers, return_inverse=True)
        scores = np.bincount(places, worth).astype(np.float32)
    if len(found) > limit:
        enough = scores >= np.partition(scores, -limit)[-limit]
        found, scores = found[enough], scores[enough]
    return list(zip(found.tolist(), scores.tolist(), strict=True))


def rank_there(
    snapshot: Snapshot, statistics: Statistics, asked: Sequence[tuple[Weights, int]], passing: Passing
) -> list[Ranked]:
    """Rank the best passages for each query on the server, all in one round trip; ties with the last are given too."""
    found: list[Ranked] = [[] for _ in asked]
    fetch = [limit + _MORE for _, limit in asked]
    open_ = [i for i, (weights, limit) in enumerate(asked) if weights and limit > 0]
    while open_:
        statements = [_statement(statistics, asked[i][0], fetch[i], passing) for i in open_]
        for i, rows in zip(open_, snapshot.many(statements), strict=True):
            found[i] = sorted(((n, s) for n, s in rows), key=lambda hit: (-hit[1], hit[0]))
        # When the last one still ties with the last one asked for, there may be more of them.
        open_ = [i for i in open_ if len(found[i]) == fetch[i] and found[i][-1][1] >= found[i][asked[i][1] - 1][1]]
        fetch = [4 * n for n in fetch]
    return found


def _statement(statistics: Statistics, weights: Weights, fetch: int, passing: Passing) -> Statement:
    values: list[Any] = [statistics.norms_given, list(weights), list(weights.values()), *passing.values, fetch]
    return _RANK.format(filter=passing.on("s")), values


def among(snapshot: Snapshot, statistics: Statistics, weights: Weights, numbers: Sequence[int]) -> Ranked:
    """Score given passages for a query; those that share no term with it are left out."""
    if not numbers or not weights:
        return []
    rows = snapshot.rows(_AMONG, (list(numbers), parts(numbers)))
    if not rows:
        return []
    unpacked = [unpack_terms(bytes(row[2])) for row in rows]
    place = np.repeat(np.arange(len(rows)), [len(terms) for terms, _ in unpacked])
    terms = np.concatenate([t for t, _ in unpacked])
    counts = np.concatenate([c for _, c in unpacked]).astype(np.float64)
    norms = statistics.norms[[row[1] for row in rows]][place]
    values = counts / (counts + norms)
    scores = np.zeros(len(rows))
    for name, weight in weights.items():
        used = terms == number(name)
        scores += np.bincount(place[used], weight * values[used], minlength=len(rows))
    rounded = scores.astype(np.float32).tolist()
    return [(row[0], score) for row, score in zip(rows, rounded, strict=True) if score > 0]
