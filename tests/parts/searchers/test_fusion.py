"""Several searchers as one: what goes to the store, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop import Engine
from multihop.parts.searchers import Bm25Searcher, DenseSearcher, LinkSearcher, NameSearcher, RankFusion, Together
from multihop.protocols import Context, Lookup, Scored
from multihop.types import Hit, Query

QUESTION = Query("Who designed the Fram, in which Roald Amundsen sailed south?", "asked", 5)
PART = Query("in which Roald Amundsen sailed south", "a clause", 3, part=True)
FOLLOWING = Query(QUESTION.text, "links", 5, seeds=(("fram-ship#0", 1.0), ("colin-archer#0", 0.5)))


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


def test_all_lookups_of_a_hop_are_one_call(sample: Engine) -> None:
    view = Listening(sample, [])
    context = view.context()
    Together((NameSearcher(), LinkSearcher())).search([QUESTION, PART, FOLLOWING], context)
    [lookups] = view.asked
    assert [(q.limit, q.within is None, q.rough) for q in lookups[:2]] == [(5, True, False), (3, True, True)]
    assert [q.text for q in lookups[2:]] == [QUESTION.text, FOLLOWING.text]
    assert all(q.within and q.limit == len(q.within) for q in lookups[2:])


def test_nothing_is_asked_when_nothing_is_to_be_found(sample: Engine) -> None:
    view = Listening(sample, [])
    following = Query("who", "links", 5, seeds=(("no-such-passage#0", 1.0),))
    assert Together((LinkSearcher(),)).search([following], view.context()) == [()]
    assert view.asked == []


def test_what_is_found_another_way_gets_its_own_match_once(sample: Engine) -> None:
    context = Context(sample.index())
    queries = [QUESTION, PART, FOLLOWING]
    alone = Bm25Searcher().search(queries, context)
    named, linked = NameSearcher().search(queries, context), LinkSearcher().search(queries, context)
    together = Together((NameSearcher(), LinkSearcher())).search(queries, context)
    for hits, *parts in zip(together, alone, named, linked, strict=True):
        reached = {h.passage_id for part in parts for h in part}
        count = Counter(h.passage_id for h in hits if h.channel == "bm25")
        assert count.keys() <= reached
        assert set(count.values()) <= {1}
        assert list(hits[: sum(map(len, parts))]) == [h for part in parts for h in part]
    own = {h.passage_id for h in together[2] if h.channel == "bm25"}
    assert own == {h.passage_id for h in linked[2]} & {
        i for i, _ in sample.store.view().lexical([Lookup(QUESTION.text, 200)])[0]
    }


def test_neighbours_in_meaning_get_no_match(sample_with_vectors: Engine) -> None:
    context = Context(sample_with_vectors.index())
    [hits] = Together((DenseSearcher(),)).search([QUESTION], context)
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
