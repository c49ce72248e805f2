from __future__ import annotations

import pytest

from multihop import Engine
from multihop.answering.answers import read
from multihop.answering.nested_claims import described, resolve
from multihop.answering.spans import AnswerSources
from multihop.types import Judgement

from .scripted import ScriptedReader, ScriptedVerifier


@pytest.mark.parametrize(
    ("claim", "asked", "about"),
    [
        ("The man who drew the Fram was born in Larvik.", "Who drew the Fram?", "X was born in Larvik."),
        (
            "The father of Colin Archer came from Scotland.",
            "Who is the father of Colin Archer?",
            "X came from Scotland.",
        ),
        (
            "Colin Archer designed the ship that Amundsen took to the South Pole.",
            "Which ship is it that Amundsen took to the South Pole?",
            "Colin Archer designed X.",
        ),
        (
            "The designer of the ship that Amundsen borrowed was born in Larvik.",
            "Which ship is it that Amundsen borrowed?",
            "The designer of X was born in Larvik.",
        ),
        (
            "Larvik is the birthplace of the man who drew the Fram",
            "Who drew the Fram?",
            "Larvik is the birthplace of X.",
        ),
        ("The film directed by Ann Lee won an award.", "Which film is directed by Ann Lee?", "X won an award."),
    ],
)
def test_what_is_described_is_asked_for_from_the_inside_out(claim: str, asked: str, about: str) -> None:
    found = described(claim)
    assert found is not None
    assert (found.asked, found.about("X")) == (asked, about)


@pytest.mark.parametrize(
    "claim",
    [
        "Colin Archer was born in Larvik.",
        "The roof of the Hall was green.",
        "The chair of the board was elected twice.",
        "The captain of the Fram and the cook of the Gjøa were brothers.",
        "The man who drew the Fram was not born in Larvik.",
        "The man who drew the Fram was older than the captain of the Gjøa.",
    ],
)
def test_claims_that_are_checked_as_they_are(claim: str) -> None:
    assert described(claim) is None


@pytest.mark.parametrize(
    ("claim", "script", "said"),
    [
        ("The man who drew the Fram was born in Larvik.", {"Colin Archer": 0.9}, "Colin Archer was born in Larvik."),
        ("The man who drew the Fram was born in Larvik.", {"Colin Archer": 0.02}, None),
        # The unit has no word of "father": the reader must be surer.
        ("The father of Colin Archer came from Scotland.", {"Fridtjof Nansen": 0.3}, None),
    ],
)
def test_descriptions_become_names(sample: Engine, claim: str, script: dict[str, float], said: str | None) -> None:
    index = sample.index()
    result = sample.retrieve(claim, k=8)
    _, readings = read(result, index)
    found = resolve(claim, AnswerSources(index, readings, result.chain, ScriptedReader({"": script}), None))
    assert (found.claim if found else None) == said


def test_a_claim_is_decided_with_the_name_and_says_so(sample: Engine) -> None:
    claim = "The man who drew the Fram was born in Larvik."
    reader = ScriptedReader({"Who drew the Fram?": {"Colin Archer": 0.99}})
    # The answer to a question, and the claim with the name, are supported; the claim as written is not.
    verifier = ScriptedVerifier(
        lambda claim, text: Judgement(0.98, 0.01, 0.01) if "Colin Archer" in claim else Judgement(0.02, 0.02, 0.96)
    )
    verdict = Engine(sample.store, reader=reader, verifier=verifier).verdict(claim)
    assert (verdict.label, verdict.claim) == ("supported", claim)
    assert [str(note) for note in verdict.notes] == ["read as “Colin Archer was born in Larvik.”"]
    assert "Colin Archer drew her lines" in verdict.sentences[0].quote.text
