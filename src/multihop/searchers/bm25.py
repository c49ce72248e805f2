"""Lexical search: BM25 (Robertson & Zaragoza 2009) over stemmed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, Scored
from multihop.types import Hit, Query


@dataclass(frozen=True, slots=True)
class Bm25Searcher:
    """Finds the passages that share the rarest words with a query."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        whole = [q for q in queries if not q.seeds and not q.part]
        parts = [q for q in queries if not q.seeds and q.part]
        found = dict(zip(whole, _ranked(whole, context, rough=False), strict=True))
        found |= zip(parts, _ranked(parts, context, rough=True), strict=True)
        return [_hits(q, found[q][: q.limit]) if q in found else () for q in queries]


def _ranked(queries: Sequence[Query], context: Context, *, rough: bool) -> list[Scored]:
    if not queries:
        return []
    return context.view.lexical([q.text for q in queries], max(q.limit for q in queries), rough=rough)


def _hits(query: Query, scored: Scored) -> tuple[Hit, ...]:
    hits = tuple(Hit(id, score, "bm25") for id, score in scored)
    if not query.part or not scored:
        return hits
    # How well a passage does on a part of the question shows only beside the best for that part.
    return (*hits, *(Hit(id, score / scored[0][1], "part", query.text) for id, score in scored))


def own_match(query: Query, passages: Sequence[str], context: Context) -> Sequence[Hit]:
    """Score given passages against the query, so that what was reached another way still shows its own match."""
    if not passages:
        return ()
    scored = context.view.lexical([query.text], len(passages), passages)[0]
    return tuple(Hit(id, score, "bm25") for id, score in scored)
