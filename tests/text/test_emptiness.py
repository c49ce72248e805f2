"""Passages that say nothing under a good title."""

from __future__ import annotations

from multihop.text.emptiness import find_empty
from multihop.types import Passage

ASKED = "In which town was the architect of the ship Fram born?"
SHIP = "Fram was a ship that Colin Archer built for the polar expeditions of Fridtjof Nansen and Roald Amundsen."


def passage(document: str, title: str, body: str, number: int = 0) -> Passage:
    return Passage(f"{document}#{number}", document, number, title, body)


def found(*passages: Passage) -> list[str]:
    return [empty.document_id for empty in find_empty(passages, ASKED)]


OTHERS = [passage(f"other{n}", f"Ship {n}", "A ship like many others.") for n in range(10)]


def test_a_stub_under_a_title_that_another_document_fills() -> None:
    squatter = passage("squatter", "Fram", "Fram is a page. See also Fram.")
    assert found(passage("fram", "Fram", SHIP), squatter, *OTHERS) == ["squatter"]
    # Alone under its title a short document is just short.
    assert found(squatter, *OTHERS) == []


def test_what_repeats_of_the_question_does_not_fill_a_document() -> None:
    answer = passage("answer", "Fram", f"{ASKED} The answer is Paris.")
    assert found(passage("fram", "Fram", SHIP), answer, *OTHERS) == ["answer"]


def test_passages_of_one_document_are_not_stubs_of_each_other() -> None:
    short = passage("fram", "Fram", "It was sold.", 1)
    assert found(passage("fram", "Fram", SHIP), short, *OTHERS) == []


def test_passages_that_only_ask() -> None:
    assert found(passage("ask", "Note", "Who was Nansen? Where was he born?"), *OTHERS) == ["ask"]
    assert found(passage("faq", "Note", "Who was Nansen? A Norwegian."), *OTHERS) == []


def test_where_titles_are_shared_by_many_a_short_passage_says_something() -> None:
    turns = [passage(f"turn{n}", "Chat", "Yes, in Larvik." if n else SHIP) for n in range(10)]
    assert found(*turns) == []


def test_many_stubs_do_not_end_the_rule() -> None:
    squatters = [passage(f"squatter{n}", f"Ship {n % 3}", f"Ship {n % 3} is a page.") for n in range(6)]
    full = [passage(f"full{n}", f"Ship {n}", SHIP) for n in range(10)]
    assert found(*full, *squatters) == [squatters[n].document_id for n in (0, 3, 1, 4, 2, 5)]


def test_what_stands_beside_the_question_counts_less() -> None:
    """It asks again to be found, and adds nearly as much as the other one says."""
    short = passage("fram", "Fram", "A polar ship by Colin Archer.")
    assert found(short, passage("answer", "Fram", f"{ASKED} Rolf Plonk, Paris."), *OTHERS) == ["answer"]
    assert found(short, passage("other", "Fram", "Rolf Plonk, Paris."), *OTHERS) == []
