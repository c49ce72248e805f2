"""Follow-up queries: what is asked of the index after a passage was read, and where that leads."""

from __future__ import annotations

import pytest

from multihop.parts.searchers import FollowUpWalker
from multihop.parts.searchers.retriever import Retrieved
from multihop.protocols import Context, Index, Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Hit, Passage, Walk

from ..making import context_of

QUESTION = "Who is the spouse of the director of Big Eyes?"
FILM = Document("film", "A drama of 2014. Big Eyes was directed by Tim Burton and shot in Vancouver.", "Big Eyes")
DOCUMENTS = (
    FILM,
    Document("role", "She played a part in a film of Tim Burton, whose spouse she was for a while.", "Planet"),
    Document("city", "A port in Canada.", "Vancouver"),
    Document("else", "nothing of this kind", "Else"),
)


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    return fill(store_factory(), *DOCUMENTS)


def test_it_reaches_a_passage_that_only_speaks_of_the_name(store: Store) -> None:
    walk = Walk(QUESTION, "follow", 10, (("film#0", 0.5),))
    [hits] = FollowUpWalker().walk([walk], context_of(store))
    assert hits[0] == Hit("role#0", 0.5, "follow-up", "film#0")
    assert "film#0" not in {h.passage_id for h in hits}
    assert all(0 < h.score <= 0.5 for h in hits)


def test_the_query_lacks_what_the_passage_says_already() -> None:
    passage = Passage("film#0", "film", 0, FILM.title, FILM.text)
    assert FollowUpWalker().query(QUESTION, passage) == "spouse director Tim Burton Vancouver"
    assert FollowUpWalker(names=1).query(QUESTION, passage) == "spouse director Tim Burton"


def test_a_passage_without_names_of_its_own_asks_nothing(store: Store) -> None:
    passage = Passage("x#0", "x", 0, "Big Eyes", "Big Eyes is a film.")
    assert FollowUpWalker().query(QUESTION, passage) == ""
    walk = Walk(QUESTION, "follow", 10, (("else#0", 1.0), ("nobody#0", 1.0)))
    assert FollowUpWalker().walk([walk], context_of(store)) == [[]]


def test_only_the_first_seeds_are_followed(store: Store) -> None:
    walk = Walk(QUESTION, "follow", 10, (("else#0", 1.0), ("film#0", 0.5)))
    assert FollowUpWalker(seeds=1).walk([walk], context_of(store)) == [[]]


def test_an_index_without_lexical_search_is_left_alone() -> None:
    bare = Index(Retrieved(lambda query, limit: ()).index().passages)
    assert FollowUpWalker().walk([Walk("Who?", "follow", 10, (("a#0", 1.0),))], Context(bare)) == [()]
