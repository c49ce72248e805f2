"""Candidates that say nothing under a good title."""

from __future__ import annotations

from collections.abc import Mapping

from multihop.parts.selectors import RankedFusion
from multihop.parts.selectors.emptiness import find_empty
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.protocols import Context
from multihop.types import Candidate, Passage

from ..making import BARE, state

ASKED = "In which town was the architect of the ship Fram born?"
SHIP = "Fram was a ship that Colin Archer built for the polar expeditions of Fridtjof Nansen and Roald Amundsen."


def candidate(id: str, title: str, body: str, scores: Mapping[str, float] | None = None) -> Candidate:
    return Candidate(Passage(f"{id}#0", id, 0, title, body), dict(scores or {}), 1, {})


def found(*candidates: Candidate) -> list[str]:
    question = QuestionWords(ASKED, {}, 100)
    readings = [ReadPassage(each.passage, question) for each in candidates]
    return [readings[place].passage.document_id for place in find_empty(readings)]


OTHERS = [candidate(f"other{n}", f"Ship {n}", "A ship like many others.") for n in range(10)]


def test_a_stub_under_a_title_that_another_document_fills() -> None:
    squatter = candidate("squatter", "Fram", "Fram is a page. See also Fram.")
    assert found(candidate("fram", "Fram", SHIP), squatter, *OTHERS) == ["squatter"]
    # Alone under its title a short document is just short.
    assert found(squatter, *OTHERS) == []


def test_what_repeats_of_the_question_does_not_fill_a_document() -> None:
    answer = candidate("answer", "Fram", f"{ASKED} The answer is Paris.")
    assert found(candidate("fram", "Fram", SHIP), answer, *OTHERS) == ["answer"]


def test_passages_of_one_document_are_not_stubs_of_each_other() -> None:
    short = Candidate(Passage("fram#1", "fram", 1, "Fram", "It was sold."), {}, 1, {})
    assert found(candidate("fram", "Fram", SHIP), short, *OTHERS) == []


def test_passages_that_only_ask() -> None:
    assert found(candidate("ask", "Note", "Who was Nansen? Where was he born?"), *OTHERS) == ["ask"]
    assert found(candidate("faq", "Note", "Who was Nansen? A Norwegian."), *OTHERS) == []


def test_where_titles_are_shared_by_many_a_short_passage_says_something() -> None:
    turns = [candidate(f"turn{n}", "Chat", "Yes, in Larvik." if n else SHIP) for n in range(10)]
    assert found(*turns) == []


def test_empty_candidates_come_last_and_the_trace_names_them() -> None:
    squatter = candidate("squatter", "Fram", "Fram is a page. See also Fram.", {"bm25": 9.0, "name": 1.0})
    pool = [candidate("fram", "Fram", SHIP, {"bm25": 8.0, "name": 1.0}), squatter, *OTHERS]
    context = Context(BARE.index)
    selection = RankedFusion().select(state(*pool, question=ASKED, k=12), context)
    assert [selection.choices[0].passage_id, selection.choices[-1].passage_id] == ["fram#0", "squatter#0"]
    [note] = context.notes
    assert (note.code, note.data) == ("says-nothing", {"passages": ("squatter#0",)})
    assert "“Fram” (squatter)" in note.text
