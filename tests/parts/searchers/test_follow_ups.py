"""Follow-up queries: what is asked of the index after a passage was read, and where that leads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multihop import Engine
from multihop.errors import EmbeddingError
from multihop.index.embedders import EncoderEmbedder
from multihop.parts.searchers import FollowUpWalker, NextPassageWalker
from multihop.parts.searchers.retriever import Retrieved
from multihop.protocols import Context, Index, Store
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder, StoreFactory, fill
from multihop.types import Document, Hit, Passage, Walk

from ..making import context_of

if TYPE_CHECKING:
    from multihop.protocols import Vectors

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


class Reading(HashEmbedder):
    """Embeds a question with a passage as what stands behind "directed by" in that passage."""

    def follow(self, question: str, passages: Sequence[str]) -> Vectors:
        assert question == QUESTION
        return self.embed([passage.partition("directed by ")[2] for passage in passages])


NEXT = (
    FILM,
    Document("burton", "Tim Burton and", "Tim Burton and"),
    Document("port", "A port in Canada.", "Vancouver"),
)


def test_what_comes_after_a_passage_is_near_to_both(store_factory: StoreFactory) -> None:
    filled = fill(store_factory(Reading(256)), *NEXT)
    [hits] = NextPassageWalker(depth=1).walk([Walk(QUESTION, "follow", 10, (("film#0", 0.5),))], context_of(filled))
    assert [(hit.passage_id, hit.channel, hit.via) for hit in hits] == [("burton#0", "next", "film#0")]
    assert 0 < hits[0].score <= 1


def test_a_passage_does_not_come_after_itself(store_factory: StoreFactory) -> None:
    filled = fill(store_factory(Reading(256)), *NEXT)
    [hits] = NextPassageWalker().walk([Walk(QUESTION, "follow", 10, (("burton#0", 0.5),))], context_of(filled))
    assert "burton#0" not in {hit.passage_id for hit in hits}


def test_seeds_that_are_gone_lead_nowhere(store_factory: StoreFactory) -> None:
    filled = fill(store_factory(Reading(256)), *NEXT)
    walks = [Walk(QUESTION, "follow", 10, (("nobody#0", 1.0),)), Walk(QUESTION, "follow", 10, (("film#0", 1.0),))]
    nothing, something = NextPassageWalker().walk(walks, context_of(filled))
    assert not nothing and something


@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_vectors_that_were_not_made_for_it_are_not_followed(
    store_factory: StoreFactory, embedder: HashEmbedder | None
) -> None:
    walk = Walk(QUESTION, "follow", 10, (("film#0", 0.5),))
    assert NextPassageWalker().walk([walk], context_of(fill(store_factory(embedder), *NEXT))) == [()]


def test_an_encoder_that_fails_is_noted(store_factory: StoreFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    filled = context_of(fill(store_factory(Reading(256)), *NEXT))

    def failing(self: Reading, question: str, passages: Sequence[str]) -> Vectors:
        raise EmbeddingError("out of memory")

    monkeypatch.setattr(Reading, "follow", failing)
    assert NextPassageWalker().walk([Walk(QUESTION, "follow", 10, (("film#0", 0.5),))], filled) == [()]
    [note] = filled.notes
    assert note.text == "the encoder failed, next passages were not searched for: out of memory"


def test_an_encoder_that_leaves_a_passage_out_has_failed(
    store_factory: StoreFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = context_of(fill(store_factory(Reading(256)), *NEXT))
    monkeypatch.setattr(Reading, "follow", lambda self, question, passages: self.embed(passages[1:]))
    assert NextPassageWalker().walk([Walk(QUESTION, "follow", 10, (("film#0", 0.5),))], filled) == [()]
    assert "returned an array of shape (0, 256); expected (1, 256)" in filled.notes[0].text


def test_auto_asks_the_encoder_of_the_package(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "encoded.mh", create=True, embedder=EncoderEmbedder()) as engine:
        engine.add(sample_documents())
        found = engine.retrieve("Who drew the lines of the ship in which Amundsen sailed south?", k=5)
    assert "next" in {channel for evidence in found for channel in evidence.scores}
