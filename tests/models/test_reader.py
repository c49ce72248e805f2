"""The built-in reader and verifier: they keep their contracts and read what is written."""

from __future__ import annotations

import numpy as np
import pytest

from multihop.models import BuiltInReader, BuiltInVerifier, reader as load_reader, verifier as load_verifier
from multihop.models.reader import _spans
from multihop.models.wordpiece import placed_tokens, tokens
from multihop.testing.contracts import ReaderContract, VerifierContract

pytestmark = pytest.mark.usefixtures("read_anew")
SHIP = "Fram (ship): Colin Archer drew her lines for Fridtjof Nansen, who meant to freeze her into the ice."
ARCHER = "Colin Archer: Colin Archer came into the world in Larvik in 1832, the son of Scottish emigrants."
AMUNDSEN = "Roald Amundsen: He sailed south in the Fram after letting everyone believe he was bound for the Arctic."
ROWS = ("Name: Pia Holm · Office: Sandnes · Extension: 4411", "Name: Jonas Eide · Office: Bergen · Extension: 2210")


@pytest.fixture(scope="module")
def reader() -> BuiltInReader:
    model = load_reader()
    assert model is not None, "the tests need onnxruntime"
    return model


@pytest.fixture(scope="module")
def verifier() -> BuiltInVerifier:
    model = load_verifier()
    assert model is not None, "the tests need onnxruntime"
    return model


class TestReader(ReaderContract):
    """The built-in reader keeps the contract of every reader."""


class TestVerifier(VerifierContract):
    """The built-in verifier keeps the contract of every verifier."""


def test_spans_that_overlap_are_one_answer_with_the_probability_of_all() -> None:
    """Texts of four and two tokens; an answer may begin at the second of the first and end there or a token later."""
    origin = [(-1, 0, 0), *((0, at, at + 1) for at in range(4)), (-1, 0, 0), *((1, at, at + 1) for at in range(2))]
    logits = np.full((len(origin), 2), -20.0, np.float32)
    logits[2], logits[3], logits[6] = (2, 2), (-20, 1), (0, 0)
    first, second, *others = _spans(logits, origin)
    alone = np.exp(np.array([4, 3, 0]))
    assert (first[1], second[1]) == ((0, 1, 2), (1, 0, 1))
    assert [first[0], second[0]] == pytest.approx([alone[:2].sum() / alone.sum(), alone[2] / alone.sum()], abs=1e-6)
    assert sum(chance for chance, _ in others) < 1e-6


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Colin Archer born?", "1832"),
        ("In which town was the architect born who drew the ship that Roald Amundsen sailed south in?", "Larvik"),
    ],
)
def test_it_finds_the_answer_among_several_texts(reader: BuiltInReader, question: str, answer: str) -> None:
    contexts = (SHIP, ARCHER, AMUNDSEN)
    best = reader.read(question, contexts).spans[0]
    assert contexts[best.context][best.start : best.end] == answer
    assert best.probability > 0.5


def test_it_reads_the_row_that_is_asked_for(reader: BuiltInReader) -> None:
    best = reader.read("In which office does Pia Holm work?", ROWS).spans[0]
    assert ROWS[best.context][best.start : best.end] == "Sandnes"


def test_it_says_when_the_texts_do_not_answer(reader: BuiltInReader) -> None:
    assert reader.read("What is the capital of Peru?", (SHIP, ARCHER, AMUNDSEN)).none > 0.5


def test_the_answer_may_stand_in_the_last_of_long_texts(reader: BuiltInReader) -> None:
    filler = "Tea is made of the leaves of a shrub. " * 60
    contexts = (filler, filler, ARCHER)
    best = reader.read("When was Colin Archer born?", contexts).spans[0]
    assert contexts[best.context][best.start : best.end] == "1832"


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("The council voted for the loan.", "The council voted against the loan.", "contradicted"),
        ("The council voted against the loan.", "The council voted against the loan.", "supported"),
        ("Colin Archer drew the Fram.", SHIP, "supported"),
        ("Colin Archer never drew the Fram.", SHIP, "contradicted"),
        ("Colin Archer came into the world in 1835.", ARCHER, "contradicted"),
        ("Tea is made of the leaves of a shrub.", ARCHER, "neither"),
    ],
)
def test_it_judges_a_claim_by_a_text(verifier: BuiltInVerifier, claim: str, evidence: str, expected: str) -> None:
    [judgement] = verifier.verify(claim, [evidence])
    assert getattr(judgement, expected) > 0.6


@pytest.mark.parametrize(
    "text", ["naïve Café — “quotes”", "日本 Tokyo", "a\u200bb\tc\x00d", "İstanbul", "q" * 101, "", "Fram's 3,000 km²"]
)
def test_places_of_tokens_lead_back_to_the_text(text: str) -> None:
    placed = placed_tokens(text, 100)
    assert [token for token, _, _ in placed] == tokens(text, 100)
    assert all(0 <= start < end <= len(text) for _, start, end in placed)
    ends = [end for _, _, end in placed]
    assert ends == sorted(ends)


def test_places_stand_at_the_words() -> None:
    text = "Amundsen sailed in the Fram."
    assert [text[start:end] for _, start, end in placed_tokens(text, 5)] == ["Am", "unds", "en", "sailed", "in"]
