"""Lexical search with others beside it: what goes to the store, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop import Engine
from multihop.parts.searchers import (
    Bm25Searcher,
    DenseSearcher,
    LinkWalker,
    MatchingSearcher,
    MatchingWalker,
    NameSearcher,
    RankFusion,
)
from multihop.protocols import Context, Lookup, Scored
from multihop.types import Hit, Query, Walk

QUESTION = Query("Who designed the Fram, in which Roald Amundsen sailed south?", "asked", 5)
PART = Query("in which Roald Amundsen sailed south", "a clause", 3, part=True)
FOLLOWING = Walk(QUESTION.text, "links", 5, (("fram-ship#0", 1.0), ("colin-archer#0", 0.5)))


@dataclass
class Listening:
    """Lexical search that writes down what it is asked."""

    engine: Engine
    asked: list[list[Lookup]]

    def context(self) -> Context:
        return Context(replace(self.engine.index(), lexical=self))

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        self.asked.append(list(lookups))
        return self.engine.store.view().lexical(lookups)


def test_all_lookups_of_a_kind_are_one_call(sample: Engine) -> None:
    view = Listening(sample, [])
    context = view.context()
    MatchingSearcher(Bm25Searcher(), (NameSearcher(),)).search([QUESTION, PART], context)
    MatchingWalker(Bm25Searcher(), (LinkWalker(),)).walk([FOLLOWING], context)
    searched, walked = view.asked
    assert [(q.limit, q.within is None, q.rough) for q in searched[:2]] == [(5, True, False), (3, True, True)]
    assert [q.text for q in searched[2:]] == [QUESTION.text]
    assert [q.text for q in walked] == [FOLLOWING.text]
    assert all(q.within and q.limit == len(q.within) for q in (*searched[2:], *walked))


def test_nothing_is_asked_when_nothing_is_to_be_found(sample: Engine) -> None:
    view = Listening(sample, [])
    following = Walk("who", "links", 5, (("no-such-passage#0", 1.0),))
    assert MatchingWalker(Bm25Searcher(), (LinkWalker(),)).walk([following], view.context()) == [()]
    assert view.asked == []


def test_what_is_found_another_way_gets_its_own_match_once(sample: Engine) -> None:
    context = Context(sample.index())
    queries = [QUESTION, PART]
    alone, named = Bm25Searcher().search(queries, context), NameSearcher().search(queries, context)
    together = MatchingSearcher(Bm25Searcher(), (NameSearcher(),)).search(queries, context)
    for hits, *parts in zip(together, alone, named, strict=True):
        reached = {h.passage_id for part in parts for h in part}
        count = Counter(h.passage_id for h in hits if h.channel == "bm25")
        assert count.keys() <= reached
        assert set(count.values()) <= {1}
        assert list(hits[: sum(map(len, parts))]) == [h for part in parts for h in part]


def test_what_is_walked_to_gets_its_own_match(sample: Engine) -> None:
    context = Context(sample.index())
    [linked] = LinkWalker().walk([FOLLOWING], context)
    [walked] = MatchingWalker(Bm25Searcher(), (LinkWalker(),)).walk([FOLLOWING], context)
    assert walked[: len(linked)] == linked
    matched = {h.passage_id for h in walked if h.channel == "bm25"}
    assert matched == {h.passage_id for h in linked} & {
        i for i, _ in sample.store.view().lexical([Lookup(QUESTION.text, 200)])[0]
    }


def test_neighbors_in_meaning_get_no_match(sample_with_vectors: Engine) -> None:
    context = Context(sample_with_vectors.index())
    [hits] = MatchingSearcher(Bm25Searcher(), (DenseSearcher(),)).search([QUESTION], context)
    assert [h for h in hits if h.channel == "bm25"] == list(Bm25Searcher().search([QUESTION], context)[0])
    assert {h.channel for h in hits} == {"bm25", "dense"}


@dataclass(frozen=True)
class Fixed:
    """A searcher that finds these passages for every query, each on two channels."""

    ids: tuple[str, ...]

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        hits = tuple(Hit(id, 1.0, channel) for channel in ("one", "two") for id in self.ids)
        return [hits for _ in queries]


def test_ranks_are_fused_and_each_passage_counts_once_a_searcher(sample: Engine) -> None:
    fused = RankFusion((Fixed(("a", "b")), Fixed(("b", "c"))), constant=10)
    [hits] = fused.search([Query("x", "asked", 2)], Context(sample.index()))
    assert [(h.passage_id, h.channel) for h in hits] == [("b", "rrf"), ("a", "rrf")]
    assert [h.score for h in hits] == [1 / 12 + 1 / 11, 1 / 11]
