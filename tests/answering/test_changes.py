"""What held before a change, left out of the texts that a verifier reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.changes import without_former_values

FEE = "The fee was raised from £42 to £48 from May."
TALK = "The talk was moved from 5 March to 19 March."
ROW = "Date: 19 March · Talk: Knots (moved from 5 March)"
CRATE = "The crate will come on 15 May instead of 8 May."


@pytest.mark.parametrize(
    ("said", "claim", "read"),
    [
        (FEE, "The fee is £48 from May.", "The fee was raised to £48 from May."),
        (FEE, "The fee is £42.", "The fee was raised to £48 from May."),
        (FEE, "Before May the fee was £42.", FEE),
        (FEE, "The fee was raised from £42 to £48.", FEE),
        (FEE, "The fee was raised by a seventh.", FEE),
        (TALK, "The talk takes place on 5 March.", "The talk was moved to 19 March."),
        (TALK, "The talk was planned for 5 March.", TALK),
        (ROW, "The talk on knots is on 5 March.", "Date: 19 March · Talk: Knots"),
        (ROW, "The talk on knots was moved from 5 March.", ROW),
        (CRATE, "The crate comes on 8 May.", "The crate will come on 15 May."),
        ("The crew was cut from nine to six.", "The crew has nine men.", "The crew was cut to six."),
        ("The shop is open from 9:00 to 18:00.", "The shop is open at 9:00.", "The shop is open from 9:00 to 18:00."),
        ("Fares are reduced from May to July.", "Fares are reduced in May.", "Fares are reduced from May to July."),
    ],
)
def test_the_former_of_two_values_is_left_out(said: str, claim: str, read: str) -> None:
    assert without_former_values(said, claim) == read


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The talk on knots takes place on 19 March.", "supported"),
        ("The talk on knots takes place on 5 March.", "contradicted"),
        ("The fee for a mooring is £48.", "supported"),
        ("The fee for a mooring is £42.", "contradicted"),
    ],
)
def test_the_later_value_decides_a_claim(tmp_path: Path, claim: str, label: str) -> None:
    with Engine.open(tmp_path / "club.mh", create=True) as engine:
        engine.add(
            [
                Document("talks", "Date: 19 March · Talk: Knots (moved from 5 March) · Speaker: Ada Moe", "Talks"),
                Document("fees", "In May the fee for a mooring was raised from £42 to £48.", "Fees"),
            ]
        )
        assert engine.verdict(claim).label == label
