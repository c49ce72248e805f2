"""BM25 over posting tables, in plain SQL.

The formula, its constants and the rounding of lengths are those of tantivy, which the embedded store uses, so that both
rank alike: Σ idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)). Many postings, and those that have to
pass a filter, are summed on the server, next to where they lie; few are fetched and summed here, and cached as long
as the index stays as it is. Given passages are scored from the terms that each of them carries.

On the server whole parts are skipped where they cannot reach the best: each part of a term stores its maximum term
frequency and minimum length, and no score of the part exceeds the bound that these two give (an idea of Ding & Suel
2011, by part instead of by block).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.errors import StoreError
from multihop.index.stores.core.cache import GenerationCache, ReadValues
from multihop.index.stores.core.rows import Ranked
from multihop.index.stores.core.search import COMMON, K1, B, idf
from multihop.index.stores.postgres.connections import Rows, Snapshot
from multihop.index.stores.postgres.filters import Passing
from multihop.index.stores.postgres.packing import LENGTHS, PART, Parts, number, term, unpack_codes
from multihop.index.stores.postgres.statements import Statement, best, best_first, concatenate

Weights = Mapping[str, float]
Values = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The passages that use a term, and what that is worth to each before the term is weighed."""
FEW = 100_000
"""Up to this many postings of a query are fetched: summing them on the server would take longer than sending them."""
_CACHED_POSTINGS = 2_000_000  # about 32 MB
_DENSE = 4_000_000
"""Up to this number of a passage an array with a place for each is added up in; it takes 32 MB at most."""
_MORE = 16
"""Additional rows to fetch at once, so that ties with the last one rarely need a second round trip."""
FEW_PARTS = 16
"""Up to this many parts are summed without asking for their bounds, which takes one more round trip."""
_FIRST = 64
"""One part in this many is summed first, at least `_FIRST_AT_LEAST`: their best scores are the bar for the others."""
_FIRST_AT_LEAST = 8
_ROUNDED = 1 + 1e-6
"""Scores are rounded to single precision; a bound has to stay above them."""
_COUNTS = "SELECT term, passages FROM $term WHERE term = ANY(%s)"
POSTINGS = "SELECT part, term, codes FROM $posting o WHERE term = ANY(%s)"
# Summed by part, not by passage alone: a sum over the column of distribution is worked out where each shard lies.
_RANK = f"""
    SELECT s.number, s.score FROM (
        SELECT part, part::bigint * {PART} + place AS number, sum(weight * count / (count + norm))::real AS score
        FROM (
            SELECT o.part, c.code >> 16 AS place, q.weight, ((c.code >> 8) & 255)::float8 AS count,
                   (%s::float8[])[(c.code & 255) + 1] AS norm
            FROM unnest(%s::text[], %s::float8[]) AS q(term, weight) JOIN $posting o ON o.term = q.term{{parts}}
            CROSS JOIN LATERAL unnest(o.codes) AS c(code)
        ) AS used GROUP BY part, place
    ) AS s WHERE true{{filter}} ORDER BY s.score DESC, s.number LIMIT %s"""
_IN_PARTS = " AND o.part = ANY(%s::integer[])"
_BOUNDS = """
    SELECT o.part, sum(q.weight * o.most / (o.most + (%s::float8[])[o.least + 1])) AS bound
    FROM unnest(%s::text[], %s::float8[]) AS q(term, weight) JOIN $posting o ON o.term = q.term
    GROUP BY o.part ORDER BY bound DESC, o.part"""
Terms = tuple[int, NDArray[np.int64], NDArray[np.uint8]]
"""What a passage can be scored from: the code of its length, its terms by number, and how often it uses each."""


class Name(NamedTuple):
    """A name as it was read: how many passages use it, and its documents if they were read along.

    Of each document: whether the name is its whole title, the number of its first passage, and how many it has.
    """

    spread: int
    key: str
    documents: dict[str, tuple[bool, int, int]]


class Statistics:
    """What BM25 must know of the whole index at one generation; what was asked once is cached."""

    def __init__(self, meta: Mapping[str, str]) -> None:
        self.meta = meta
        # tantivy counts the document that holds its stamp, too.
        self.passages = int(meta["passages"]) + 1
        self.parts = -(-int(meta["next_passage"]) // PART)
        average = int(meta["words"]) / self.passages
        self.norms: NDArray[np.float64] = K1 * (1 - B + B * LENGTHS / max(average, 1e-9))
        self.norms_given = self.norms.tolist()
        self._used: dict[str, int] = {}
        self._values: dict[str, Values] = {}
        self._cached = 0
        self.terms: ReadValues[int, Terms] = ReadValues()
        self.names: ReadValues[int, Name] = ReadValues()
        self.cache = GenerationCache()
        """What views of this generation have read and computed."""

    def postings(self, weights: Weights) -> int:
        """Count the postings that a query has to add up."""
        return sum(self._used[t] for t in weights)

    def look_up(self, terms: Iterable[str]) -> dict[str, Values]:
        """Return the postings of those terms that are cached."""
        return {t: v for t in terms if (v := self._values.get(t)) is not None}

    def add_postings(self, terms: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Values]:
        """Store the postings of terms as the server sent them."""
        gathered: dict[str, list[Values]] = {t: [] for t in terms}
        for part, name, packed in rows:
            codes = unpack_codes(packed)
            counts = ((codes >> 8) & 255).astype(np.float64)
            numbers = (codes >> 16).astype(np.int64) + part * PART
            gathered[name].append((numbers, counts / (counts + self.norms[codes & 255])))
        postings = {t: _concatenate(each) for t, each in gathered.items()}
        self._check({t: len(numbers) for t, (numbers, _) in postings.items()})
        self._cache_values(postings)
        return postings

    def _check(self, fetched: Mapping[str, int]) -> None:
        """Raise where a term has other postings than its count says: what is wrong must not be cached."""
        wrong = next((t for t, n in sorted(fetched.items()) if n != self._used.get(t, n)), None)
        if wrong is not None:
            raise StoreError(
                f"the index has {fetched[wrong]:,} postings of the term {wrong!r} where it counts "
                f"{self._used[wrong]:,}; run: multihop verify"
            )

    def _cache_values(self, values: Mapping[str, Values]) -> None:
        size = sum(len(numbers) for numbers, _ in values.values())
        if self._cached + size > _CACHED_POSTINGS:
            self._values, self._cached = {}, 0
        self._values.update(values)
        self._cached += size

    def weigh(self, snapshot: Snapshot, queries: Sequence[tuple[str, bool]]) -> list[Weights]:
        """Return the terms of each query, which may be a rough one, with their weights; unknown terms are left out."""
        counts = [Counter(map(term, text.query_terms(query))) for query, _ in queries]
        self._count(snapshot, {t for c in counts for t in c})
        return [self._weights(c, rough) for c, (_, rough) in zip(counts, queries, strict=True)]

    def frequencies(self, snapshot: Snapshot, terms: Sequence[str]) -> list[int]:
        """Count the passages that use each term."""
        stored = list(map(term, terms))
        self._count(snapshot, stored)
        return [self._used[t] for t in stored]

    def _count(self, snapshot: Snapshot, terms: Iterable[str]) -> None:
        for statement in self.count_statements(terms):
            self.add_counts(statement, snapshot.rows(*statement))

    def count_statements(self, terms: Iterable[str]) -> list[Statement]:
        """Write the statement that counts the passages of terms, none where all are known."""
        unknown = sorted({t for t in terms if t not in self._used})
        return [Statement(_COUNTS, (unknown,), concatenate)] if unknown else []

    def add_counts(self, statement: Statement, rows: Iterable[Sequence[Any]]) -> None:
        """Store the counts that the server sent."""
        (terms,) = statement.values
        self._used |= {**dict.fromkeys(terms, 0), **{t: int(n) for t, n in rows}}

    def _weights(self, counts: Counter[str], rough: bool) -> Weights:
        used = {t: self._used.get(t, 0) for t in counts}
        if rough:
            # As the embedded store does: an unknown word is a rare one, and keeps the common ones out.
            rare = {t: n for t, n in used.items() if n < self.passages / COMMON}
            used = rare or used
        return {t: counts[t] * idf(self.passages, n) * (K1 + 1) for t, n in used.items() if n}


def _concatenate(parts: Sequence[Values]) -> Values:
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0)
    return np.concatenate([numbers for numbers, _ in parts]), np.concatenate([values for _, values in parts])


def top(weights: Weights, values: Mapping[str, Values], limit: int) -> Ranked:
    """Rank the best passage numbers for a query by adding its postings up here; ties with the last are given too."""
    if not weights or limit < 1:
        return []
    numbers, worth = _concatenate([(values[t][0], values[t][1] * weight) for t, weight in weights.items()])
    if not len(numbers):
        return []
    if numbers.max() < _DENSE:
        sums = np.bincount(numbers, worth)
        nonzero = np.flatnonzero(sums)
        scores = sums[nonzero].astype(np.float32)
    else:
        nonzero, places = np.unique(numbers, return_inverse=True)
        scores = np.bincount(places, worth).astype(np.float32)
    if len(nonzero) > limit:
        enough = scores >= np.partition(scores, -limit)[-limit]
        nonzero, scores = nonzero[enough], scores[enough]
    return list(zip(nonzero.tolist(), scores.tolist(), strict=True))


def rank_there(
    snapshot: Snapshot, statistics: Statistics, asked: Sequence[tuple[Weights, int]], passing: Passing
) -> list[Ranked]:
    """Rank the best passages for each query on the server; ties with the last are given too.

    Where there are many parts, those that promise most are summed first, and of the others only those whose bound is
    not below what the last one asked for has reached by then.
    """
    queries = [_Query(weights, limit) for weights, limit in asked]
    sought = [query for query in queries if query.weights and query.limit > 0]
    if statistics.parts <= FEW_PARTS:
        _rank(snapshot, statistics, sought, passing)
        return [query.found for query in queries]
    bounding = [Statement(_BOUNDS, _weigh(statistics, query.weights), best_first) for query in sought]
    bounds = snapshot.many(bounding) if sought else []
    for query, rows in zip(sought, bounds, strict=True):
        query.parts = [part for part, _ in rows[: max(_FIRST_AT_LEAST, len(rows) // _FIRST)]]
    _rank(snapshot, statistics, sought, passing)
    for query, rows in zip(sought, bounds, strict=True):
        least = query.least
        query.parts = [part for part, bound in rows[len(query.parts or ()) :] if bound * _ROUNDED >= least]
    _rank(snapshot, statistics, [query for query in sought if query.parts], passing)
    return [query.found for query in queries]


@dataclass
class _Query:
    """A query that is ranked on the server: the parts to look into next, None for all, and what was found so far."""

    weights: Weights
    limit: int
    parts: Sequence[int] | None = None
    found: Ranked = field(default_factory=list)

    @property
    def least(self) -> float:
        """What a passage must reach to be among the best."""
        return self.found[self.limit - 1][1] if len(self.found) >= self.limit else 0.0

    def take(self, rows: Rows) -> None:
        self.found = sorted([*self.found, *rows], key=lambda hit: (-hit[1], hit[0]))
        least = self.least
        self.found = [hit for hit in self.found if hit[1] >= least]


def _rank(snapshot: Snapshot, statistics: Statistics, queries: list[_Query], passing: Passing) -> None:
    """Sum the parts of each query, all in one round trip."""
    times = 1
    while queries:
        asked = [(query, times * (query.limit + _MORE)) for query in queries]
        results = snapshot.many([_statement(statistics, query, fetch, passing) for query, fetch in asked])
        queries, times = [], 4 * times
        for (query, fetch), rows in zip(asked, results, strict=True):
            # When the last one still ties with the last one asked for, there may be more of them.
            if len(rows) == fetch and rows[-1][1] >= rows[query.limit - 1][1]:
                queries.append(query)
            else:
                query.take(rows)


def _weigh(statistics: Statistics, weights: Weights) -> list[Any]:
    return [statistics.norms_given, list(weights), list(weights.values())]


def _statement(statistics: Statistics, query: _Query, fetch: int, passing: Passing) -> Statement:
    inside, parts = ("", []) if query.parts is None else (_IN_PARTS, [Parts(query.parts)])
    values = [*_weigh(statistics, query.weights), *parts, *passing.values, fetch]
    return Statement(_RANK.format(parts=inside, filter=passing.on("s")), values, best)


def among(statistics: Statistics, weights: Weights, passages: Sequence[int], known: Mapping[int, Terms]) -> Ranked:
    """Score given passages, whose terms are known, for a query; those that share no term with it are left out."""
    present = [passage for passage in passages if passage in known]
    if not present:
        return []
    place = np.repeat(np.arange(len(present)), [len(known[n][1]) for n in present])
    terms = np.concatenate([known[n][1] for n in present])
    counts = np.concatenate([known[n][2] for n in present]).astype(np.float64)
    norms = statistics.norms[[known[n][0] for n in present]][place]
    values = counts / (counts + norms)
    scores = np.zeros(len(present))
    for name, weight in weights.items():
        used = terms == number(name)
        scores += np.bincount(place[used], weight * values[used], minlength=len(present))
    rounded = scores.astype(np.float32).tolist()
    return [(passage, score) for passage, score in zip(present, rounded, strict=True) if score > 0]
