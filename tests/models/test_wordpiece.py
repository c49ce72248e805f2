"""The cutter of words into pieces: it must cut as the models were trained with."""

from __future__ import annotations

import pytest

from multihop.models.wordpiece import tokens, vocabulary

CUT = {
    "Amundsen sailed in the Fram.": "am ##unds ##en sailed in the fra ##m .",
    "naïve Café — “quotes”": "naive cafe — “ quotes ”",
    "don't 3,000 km²": "don ' t 3 , 000 km²",
    "日本 Tokyo": "日 本 tokyo",
    "a\u200bb\tc\x00d": "ab cd",
    "İstanbul": "istanbul",
    "q" * 101: "[UNK]",
    "": "",
}
"""As the tokenizer of all-MiniLM-L6-v2 cuts them."""


@pytest.mark.parametrize("text", CUT)
def test_texts_are_cut_as_the_models_learned_them(text: str) -> None:
    pieces = {number: piece for piece, number in vocabulary().items()}
    assert " ".join(pieces[token] for token in tokens(text, 100)) == CUT[text]


def test_no_more_than_asked_for() -> None:
    assert tokens("one two three four", 2) == tokens("one two", 10)


def test_the_vocabulary_is_whole() -> None:
    known = vocabulary()
    assert len(known) == 30_522
    assert [known[mark] for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [0, 100, 101, 102]
