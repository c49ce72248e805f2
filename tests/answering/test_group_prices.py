"""Prices of claims for a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.group_prices import is_price_for_group

COURSE = ["The sailing course costs 95 euros.", "Students pay 60 euros.", "It has eight evenings."]


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("The sailing course costs 60 euros for students.", True),
        ("The sailing course costs 95 euros for students.", False),
        ("The sailing course costs 95 euros for adults.", None),
        ("The sailing course costs 70 euros for students.", None),
        ("The sailing course costs 95 euros.", None),
        ("The sailing course lasts 8 days for students.", None),
    ],
)
def test_a_group_pays_its_own_price(claim: str, said: bool | None) -> None:
    assert is_price_for_group(claim, [COURSE]) is said


def test_a_unit_with_several_prices_is_left_to_the_models() -> None:
    units = ["Adults pay 12 euros, children 5 euros."]
    assert is_price_for_group("A ticket costs 12 euros for children.", [units]) is None


@pytest.mark.parametrize(("price", "label"), [(60, "supported"), (95, "contradicted")])
def test_the_price_of_a_group_decides_a_claim(tmp_path: Path, price: int, label: str) -> None:
    with Engine.open(tmp_path / "course.mh", create=True) as engine:
        engine.add([Document("course", " ".join(COURSE), "Sailing course")])
        assert engine.verdict(f"The sailing course costs {price} euros for students.").label == label
