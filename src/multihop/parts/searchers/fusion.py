"""Several searchers as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from multihop.parts.searchers.bm25 import matches
from multihop.parts.searchers.dense import DENSE
from multihop.protocols import Context, Searcher, required
from multihop.types import Hit, Query


@dataclass(frozen=True, slots=True)
class Together:
    """Lexical search and other searchers beside it, their channels kept apart for a selector that weighs them.

    What the others find by a name or a link also gets its own BM25 match. What lies near in meaning does not: where it
    shares telling words with the query, lexical search finds it too.
    """

    searchers: tuple[Searcher, ...]

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        answers = [s.search(queries, context) for s in self.searchers]
        found = [list(chain.from_iterable(answer[i] for answer in answers)) for i in range(len(queries))]
        reached = [list(dict.fromkeys([h.passage_id for h in hits if h.channel != DENSE])) for hits in found]
        matched = matches(queries, reached, required(context.index.lexical, "lexical search"))
        return [(*best, *hits, *own) for hits, (best, own) in zip(found, matched, strict=True)]


@dataclass(frozen=True, slots=True)
class RankFusion:
    """Merges searchers by reciprocal rank (Cormack, Clarke & Büttcher 2009): Σ 1 / (constant + rank)."""

    searchers: tuple[Searcher, ...]
    constant: int = 60

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        answers = [s.search(queries, context) for s in self.searchers]
        return [self._fuse(q, [answer[i] for answer in answers]) for i, q in enumerate(queries)]

    def _fuse(self, query: Query, lists: Sequence[Sequence[Hit]]) -> Sequence[Hit]:
        fused: dict[str, float] = {}
        for hits in lists:
            # A searcher may show one passage on several channels; its best place counts.
            for rank, id in enumerate(dict.fromkeys(hit.passage_id for hit in hits), 1):
                fused[id] = fused.get(id, 0.0) + 1 / (self.constant + rank)
        best = sorted(fused.items(), key=lambda item: (-item[1], item[0]))[: query.limit]
        return tuple(Hit(id, score, "rrf") for id, score in best)
