"""Lexical search: BM25 (Robertson & Zaragoza 2009) over stemmed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, Lookup, Scored, require
from multihop.types import Hit, Query
from multihop.types.channels import BM25, PART


@dataclass(frozen=True, slots=True)
class Bm25Searcher:
    """Finds the passages that share the rarest words with a query."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        return [best for best, _ in self.search_and_match(queries, [()] * len(queries), context)]

    def search_and_match(
        self, queries: Sequence[Query], reached: Sequence[Sequence[str]], context: Context
    ) -> list[tuple[tuple[Hit, ...], tuple[Hit, ...]]]:
        """Return for each query its best passages, and the match of those that were reached another way.

        Everything is asked of the index at once.
        """
        # For a part of the question a rough ranking will do: the words that very many passages use are left out.
        best = [Lookup(q.text, q.limit, rough=q.part) for q in queries]
        own = [Lookup(q.text, len(ids), ids) for q, ids in zip(queries, reached, strict=True) if ids]
        scored = iter(_rank([*best, *own], context))
        top = [next(scored) for _ in queries]
        others = [_others(next(scored), known) if ids else () for ids, known in zip(reached, top, strict=True)]
        return [(_hits(q, f), o) for q, f, o in zip(queries, top, others, strict=True)]

    def match(self, texts: Sequence[str], reached: Sequence[Sequence[str]], context: Context) -> list[tuple[Hit, ...]]:
        """Return the match of passages with a text, for each text and what was reached for it."""
        lookups = [Lookup(t, len(ids), ids) for t, ids in zip(texts, reached, strict=True) if ids]
        scored = iter(_rank(lookups, context))
        return [_others(next(scored), []) if ids else () for ids in reached]


def _rank(lookups: Sequence[Lookup], context: Context) -> list[Scored]:
    return require(context.index.lexical, "lexical search").lexical(lookups) if lookups else []


def _hits(query: Query, scored: Scored) -> tuple[Hit, ...]:
    hits = tuple([Hit(id, score, BM25) for id, score in scored])
    if not query.part or not scored:
        return hits
    # How well a passage does on a part of the question shows only beside the best for that part.
    return (*hits, *[Hit(id, score / scored[0][1], PART, query.text) for id, score in scored])


def _others(scored: Scored, known: Scored) -> tuple[Hit, ...]:
    # What lexical search found by itself has its score already.
    had = {id for id, _ in known}
    return tuple([Hit(id, score, BM25) for id, score in scored if id not in had])
