from __future__ import annotations

from multihop import Engine
from multihop.answering.parts import claim_parts


def said(claim: str) -> list[str]:
    return [claim[start:end] for start, end in claim_parts(claim)]


def test_a_claim_is_cut_into_clauses() -> None:
    assert said("Colin Archer drew the lines of the Fram, and was born in Larvik in 1832.") == [
        "Colin Archer drew the lines of the Fram",
        "was born in Larvik in 1832",
    ]
    assert said("The author of Lion of Ireland was born before Robert Jordan.") == [
        "The author of Lion of Ireland was born before Robert Jordan"
    ]


def test_names_with_and_stay_whole() -> None:
    assert said("Davy Crockett and the River Pirates was made by Disney.") == [
        "Davy Crockett and the River Pirates was made by Disney"
    ]


def test_each_part_has_its_sentence_or_nothing(sample: Engine) -> None:
    claim = "Colin Archer was born in Larvik in 1832, and wrote seventeen operas about penguins."
    found = sample.answer(claim)
    assert found.kind == "claim"
    assert [p.finding for p in found.parts] == ["supported", "nothing found"]
    first, second = found.parts
    assert first.sentence is not None
    assert "1832" in first.sentence.quote.text
    assert second.sentence is None
    assert [claim[p.start : p.end] for p in found.parts] == [p.text for p in found.parts]
    # One part is open, so nothing is decided.
    assert (found.text, found.confidence) == ("", 0.0)


def test_another_year_contradicts(sample: Engine) -> None:
    found = sample.answer("Colin Archer came into the world in Larvik in 1851.")
    assert [p.finding for p in found.parts] == ["contradicted"]
    assert found.text == "refuted"


def test_a_claim_that_is_said_in_full_is_supported(sample: Engine) -> None:
    found = sample.answer("Colin Archer came into the world in Larvik in 1832.")
    assert (found.text, found.parts[0].finding) == ("supported", "supported")
