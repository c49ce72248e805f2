"""Questions that only name something: what says the name comes before what is only linked to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine

NOVEL = (
    Document("two", "In the kitchen sat a surveyor named Edmund Voss. He measured the orchard.", "CHAPTER II. Sallow"),
    Document("three", "Edmund Voss was born in Brackwater, the son of a lock keeper.", "CHAPTER III. The Surveyor"),
    Document("minutes", "Present: Odile Fenn, Edmund Voss, Judge Pascoe Rudd.", "Minutes of the Council"),
    Document("town", "Brackwater is a lock town. Its mayor is Odile Fenn.", "Brackwater"),
    Document(
        "mayor", "Odile Fenn studied law in Carrowmere under Judge Pascoe Rudd.", "Odile Fenn", aliases=("Nightingale",)
    ),
)


@pytest.fixture
def novel(tmp_path: Path) -> Engine:
    engine = Engine.open(tmp_path / "novel.mh", create=True)
    engine.add(NOVEL)
    return engine


@pytest.mark.parametrize("question", ["Edmund Voss", "edmund voss", "Who is Edmund Voss?"])
def test_a_lookup_puts_what_says_the_name_before_what_is_linked_to_it(novel: Engine, question: str) -> None:
    with novel:
        found = novel.retrieve(question, k=5)
    assert {evidence.passage.document_id for evidence in found.evidence[:3]} == {"two", "three", "minutes"}
    scores = [evidence.score for evidence in found]
    assert (len(scores), scores) == (5, sorted(scores, reverse=True))


def test_a_document_that_is_called_otherwise_is_no_mere_link(novel: Engine) -> None:
    with novel:
        assert novel.retrieve("Who is Nightingale?", k=1).evidence[0].passage.document_id == "mayor"


def test_a_question_that_asks_something_follows_its_links(novel: Engine) -> None:
    with novel:
        found = novel.retrieve("Who is the mayor of the town where Edmund Voss was born?", k=2)
    assert {evidence.passage.document_id for evidence in found} == {"three", "town"}
