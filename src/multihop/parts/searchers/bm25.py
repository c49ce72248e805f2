"""Lexical search: BM25 (Robertson & Zaragoza 2009) over stemmed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, Lexical, Lookup, Scored, required
from multihop.types import Hit, Query


@dataclass(frozen=True, slots=True)
class Bm25Searcher:
    """Finds the passages that share the rarest words with a query."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        lexical = required(context.index.lexical, "lexical search")
        return [best for best, _ in matches(queries, [()] * len(queries), lexical)]


def matches(
    queries: Sequence[Query], reached: Sequence[Sequence[str]], lexical: Lexical
) -> list[tuple[tuple[Hit, ...], tuple[Hit, ...]]]:
    """Give for each query its best passages, and the match of those that were reached another way.

    Everything is asked of the index at once. A query that follows links has no best passages of its own.
    """
    best = {q: Lookup(q.text, q.limit, rough=q.part) for q in queries if not q.seeds}
    own = {q: Lookup(q.text, len(ids), ids) for q, ids in zip(queries, reached, strict=True) if ids}
    scored = iter(lexical.lexical([*best.values(), *own.values()]) if best or own else ())
    found = dict(zip(best, scored, strict=False))
    matched = dict(zip(own, scored, strict=True))
    return [(_hits(q, found.get(q, [])), _others(matched.get(q, []), found.get(q, []))) for q in queries]


def _hits(query: Query, scored: Scored) -> tuple[Hit, ...]:
    hits = tuple([Hit(id, score, "bm25") for id, score in scored])
    if not query.part or not scored:
        return hits
    # How well a passage does on a part of the question shows only beside the best for that part.
    return (*hits, *[Hit(id, score / scored[0][1], "part", query.text) for id, score in scored])


def _others(scored: Scored, known: Scored) -> tuple[Hit, ...]:
    had = {id for id, _ in known}
    return tuple([Hit(id, score, "bm25") for id, score in scored if id not in had])
