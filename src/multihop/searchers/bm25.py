"""Lexical search: BM25 (Robertson & Zaragoza 2009) over stemmed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context
from multihop.types import Hit, Query


@dataclass(frozen=True, slots=True)
class Bm25Searcher:
    """Finds the passages that share the rarest words with a query."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        asked = [q for q in queries if not q.seeds]
        if not asked:
            return [() for _ in queries]
        ranked = iter(context.view.lexical([q.text for q in asked], max(q.limit for q in asked)))
        return [() if q.seeds else tuple(Hit(id, s, "bm25") for id, s in next(ranked)[: q.limit]) for q in queries]


def own_match(query: Query, passages: Sequence[str], context: Context) -> Sequence[Hit]:
    """Score given passages against the query, so that what was reached another way still shows its own match."""
    if not passages:
        return ()
    scored = context.view.lexical([query.text], len(passages), passages)[0]
    return tuple(Hit(id, score, "bm25") for id, score in scored)
