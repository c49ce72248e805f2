"""Several searchers as one, several walkers as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from multihop.parts.searchers.bm25 import Bm25Searcher
from multihop.protocols import Context, Searcher, Walker
from multihop.types import Hit, Query, Walk
from multihop.types.channels import DENSE, RRF
from multihop.types.ranks import reciprocal_ranks


@dataclass(frozen=True, slots=True)
class MatchingSearcher:
    """Lexical search (`match`) and other searchers beside it, their channels kept apart for a selector to weigh.

    What the others find by a name also gets its own lexical match. What lies near in meaning does not: where it shares
    rare words with the query, lexical search finds it too.
    """

    match: Bm25Searcher
    searchers: tuple[Searcher, ...]

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        hits_by_query = _join([s.search(queries, context) for s in self.searchers], len(queries))
        reached = [list(dict.fromkeys([h.passage_id for h in hits if h.channel != DENSE])) for hits in hits_by_query]
        matched = self.match.search_and_match(queries, reached, context)
        return [(*best, *hits, *own) for hits, (best, own) in zip(hits_by_query, matched, strict=True)]

    def ablations(self) -> Iterator[tuple[str, MatchingSearcher]]:
        """Leave out each searcher in turn, but not lexical search: it weighs what the others find."""
        for each in self.searchers:
            yield type(each).__name__, replace(self, searchers=tuple(s for s in self.searchers if s is not each))


@dataclass(frozen=True, slots=True)
class MatchingWalker:
    """Several walkers, their channels kept apart, and how well each passage they reach matches the text of the walk."""

    match: Bm25Searcher
    walkers: tuple[Walker, ...]

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        hits_by_walk = _join([w.walk(walks, context) for w in self.walkers], len(walks))
        reached = [list(dict.fromkeys([h.passage_id for h in hits])) for hits in hits_by_walk]
        matched = self.match.match([w.text for w in walks], reached, context)
        return [(*hits, *own) for hits, own in zip(hits_by_walk, matched, strict=True)]

    def ablations(self) -> Iterator[tuple[str, MatchingWalker]]:
        """Leave out each walker in turn."""
        for each in self.walkers:
            yield type(each).__name__, replace(self, walkers=tuple(w for w in self.walkers if w is not each))


def _join(answers: Sequence[Sequence[Sequence[Hit]]], count: int) -> list[list[Hit]]:
    return [list(chain.from_iterable(answer[i] for answer in answers)) for i in range(count)]


@dataclass(frozen=True, slots=True)
class RankFusion:
    """Merges searchers by reciprocal rank: Σ 1 / (constant + rank)."""

    searchers: tuple[Searcher, ...]
    constant: int = 60

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        answers = [s.search(queries, context) for s in self.searchers]
        return [self._fuse(q, [answer[i] for answer in answers]) for i, q in enumerate(queries)]

    def _fuse(self, query: Query, lists: Sequence[Sequence[Hit]]) -> Sequence[Hit]:
        # A searcher may show one passage on several channels; its best place counts.
        orders = ((1.0, list(dict.fromkeys(hit.passage_id for hit in hits))) for hits in lists)
        fused = reciprocal_ranks(orders, self.constant + 1)
        best = sorted(fused.items(), key=lambda item: (-item[1], item[0]))[: query.limit]
        return tuple(Hit(id, score, RRF) for id, score in best)
