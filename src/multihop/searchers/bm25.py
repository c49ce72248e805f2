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
        asked = [q for q in queries if not q.seeds]
        if not asked:
            return [() for _ in queries]
        ranked = iter(context.view.lexical([q.text for q in asked], max(q.limit for q in asked)))
        return [() if q.seeds else _hits(q, next(ranked)[: q.limit]) for q in queries]


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
