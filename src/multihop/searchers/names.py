"""Entity lookup: passages of the documents that a query names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context
from multihop.searchers.bm25 import own_match
from multihop.types import Hit, Mention, Query


@dataclass(frozen=True, slots=True)
class NameSearcher:
    """Finds the opening passages of every document whose title or alias stands in the query.

    A name that several documents share is worth to each its share only. What is found also gets its own BM25 match.
    """

    passages: int = 2

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        asked = [q for q in queries if not q.seeds]
        mentions = iter(context.view.named([q.text for q in asked]))
        return [() if q.seeds else self._lookup(q, next(mentions), context) for q in queries]

    def _lookup(self, query: Query, mentions: Sequence[Mention], context: Context) -> Sequence[Hit]:
        share: dict[str, tuple[float, str]] = {}
        for mention in mentions:
            for document in mention.documents:
                share[document] = max(share.get(document, (0.0, "")), (1 / len(mention.documents), mention.surface))
        found = context.view.passages_of(share, self.passages)
        hits = [Hit(id, share[d][0], "name", share[d][1]) for d, ids in found.items() for id in ids]
        hits.sort(key=lambda h: (-h.score, h.passage_id))
        return (*hits, *own_match(query, [h.passage_id for h in hits], context))
