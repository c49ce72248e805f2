"""Documents that a query names: by themselves, inside a longer name, as an everyday word, or ambiguously."""

from __future__ import annotations

import pytest

from multihop.parts.searchers import NameSearcher
from multihop.protocols import Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Query

from ..making import context_of

DOCUMENTS = (
    Document("kentucky", "A state.\n\nMore.\n\nStill more.", "Kentucky"),
    Document("film", "Moving pictures.", "Film"),
    Document("fram-ship", "A ship.", "Fram (ship)"),
    Document("fram-museum", "A museum.", "Fram (museum)"),
)


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    return fill(store_factory(), *DOCUMENTS)


def named(store: Store, query: str, **options: bool) -> dict[tuple[str, str], tuple[float, str]]:
    [hits] = NameSearcher(passages=1).search([Query(query, "asked", 9, **options)], context_of(store))
    return {(h.passage_id, h.channel): (h.score, h.via) for h in hits}


def test_a_name_that_stands_for_itself(store: Store) -> None:
    assert named(store, "Where is Kentucky?") == {("kentucky#0", "name"): (1.0, "Kentucky")}


def test_a_name_inside_a_longer_one_and_an_everyday_word_are_told_apart(store: Store) -> None:
    assert named(store, "the long Kentucky River") == {("kentucky#0", "part name"): (1.0, "Kentucky")}
    assert named(store, "a second film") == {("film#0", "common name"): (1.0, "film")}


def test_a_name_that_two_share_is_worth_half_to_each(store: Store) -> None:
    assert named(store, "Who drew the Fram?") == {
        ("fram-museum#0", "name"): (0.5, "Fram"),
        ("fram-ship#0", "name"): (0.5, "Fram"),
    }


def test_a_part_of_the_question_names_nothing_of_its_own(store: Store) -> None:
    assert named(store, "Where is Kentucky?", part=True) == {}


def test_the_first_passages_of_a_document_are_given(store: Store) -> None:
    [hits] = NameSearcher(passages=2).search([Query("Kentucky", "asked", 9)], context_of(store))
    assert [h.passage_id for h in hits] == ["kentucky#0", "kentucky#1"]
