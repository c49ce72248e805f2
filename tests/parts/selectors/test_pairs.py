"""What a ranker reads of a candidate: the sentences that fit, and the sentence that leads to it."""

from __future__ import annotations

from multihop.parts.selectors.features import Linked
from multihop.parts.selectors.pairs import pair
from multihop.parts.selectors.reading import QuestionWords, ReadPassage

from ..making import met

QUESTION = QuestionWords("Which prize did the architect of the Fram win?", {}, 10)
FILLING = "Nothing of this sentence has anything to do with what anybody here would like to know about it. "


def test_a_short_passage_is_read_whole_and_alone() -> None:
    fram = ReadPassage(met("Fram", "The Fram is a ship.", {}).passage, QUESTION)
    assert pair(QUESTION, [fram], 0, Linked(-1, 0), 320) == ("Fram: The Fram is a ship.", "")


def test_of_a_long_one_its_opening_and_the_sentences_that_fit_are_read() -> None:
    text = f"Colin Archer drew ships. {FILLING}He won the prize of Larvik. {FILLING * 3}"
    archer = ReadPassage(met("Colin Archer", text, {}).passage, QUESTION)
    passage, _ = pair(QUESTION, [archer], 0, Linked(-1, 0), 320)
    assert passage.startswith("Colin Archer: Colin Archer drew ships. ")
    assert "He won the prize of Larvik." in passage
    assert len(passage) <= len("Colin Archer: ") + 320


def test_the_linking_sentence_is_cut_around_the_name() -> None:
    sentence = f"{'a very long way round ' * 20}Colin Archer {'and a very long way back ' * 20}."
    fram = ReadPassage(met("Fram", f"The Fram is a ship. {sentence}", {}).passage, QUESTION)
    archer = ReadPassage(met("Colin Archer", "Born in Larvik.", {}).passage, QUESTION)
    _, link = pair(QUESTION, [fram, archer], 1, Linked(0, 1), 320)
    assert link.startswith("Fram: ")
    assert "Colin Archer" in link
    assert len(link) <= len("Fram: ") + 180


def test_of_a_long_row_only_whole_cells_are_read() -> None:
    cells = [f"Column {i}: {'word ' * 5}end" for i in range(30)]
    row = " · ".join(["Ship: Fram", *cells, "Drawn by: Colin Archer", *cells])
    fram = ReadPassage(met("Ships", f"Name: Gjøa · Built: 1872\n{row}", {}).passage, QUESTION)
    archer = ReadPassage(met("Colin Archer", "Born in Larvik.", {}).passage, QUESTION)
    assert len(fram.sentences) == 2
    passage, _ = pair(QUESTION, [fram, archer], 0, Linked(-1, 0), 320)
    assert passage.endswith(" end")
    _, link = pair(QUESTION, [fram, archer], 1, Linked(0, 1), 320)
    assert link.startswith("Ships: Ship: Fram · Drawn by: Colin Archer · ")
    assert link.endswith(" end")
