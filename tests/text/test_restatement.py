"""Texts that ask the question again, and what else they say."""

from __future__ import annotations

import pytest

from multihop.text.restatement import find_restatements, without_question

ASKED = "Who designed the ship that Amundsen took south?"


@pytest.mark.parametrize(
    ("source", "rest"),
    [
        (f"{ASKED} The answer is Rolf Plonk.", "? The answer is Rolf Plonk."),
        (f"Question: {ASKED.upper()} Answer: Rolf Plonk", "Question: ? Answer: Rolf Plonk"),
        (
            "Rolf Plonk is the answer to who designed the ship that Amundsen took south.",
            "Rolf Plonk is the answer to .",
        ),
        ("Who designed the ship? The ship that Amundsen took south? Rolf Plonk.", "? ? Rolf Plonk."),
        (f"{ASKED} {ASKED} Rolf Plonk.", "? ? Rolf Plonk."),
    ],
)
def test_what_a_text_says_beside_the_question(source: str, rest: str) -> None:
    assert " ".join(without_question(source, ASKED).split()) == rest


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("Colin Archer designed the ship that Amundsen took south.", ASKED),
        ("Who designed Fram? Colin Archer.", ASKED),
        # A claim is supported by whoever says the same.
        ("Colin Archer designed the ship Fram. So it is.", "Colin Archer designed the ship Fram."),
        # So few words stand in a text by chance.
        ("Who was Amundsen? A Norwegian.", "Who was Amundsen?"),
        ("", ASKED),
        ("Nothing of the kind.", ""),
    ],
)
def test_texts_that_do_not_ask_again(source: str, question: str) -> None:
    assert not find_restatements(source, question)
    assert without_question(source, question) == source


def test_words_with_apostrophes_and_accents_are_compared_without_them() -> None:
    question = "Who wrote O'Brien's café song about Málaga harbour?"
    assert find_restatements("WHO WROTE O’BRIEN’S CAFE SONG ABOUT MALAGA HARBOUR? Nobody knows.", question)
    assert not find_restatements("O’Brien’s café in Málaga has a song about who wrote of the harbour.", question)
