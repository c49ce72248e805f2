from __future__ import annotations

import pytest

from multihop.answering.inflections import inflect


@pytest.mark.parametrize(
    ("auxiliary", "verb", "written"),
    [
        ("does", "cover", "covers"),
        ("does", "carry", "carries"),
        ("does", "pay", "pays"),
        ("does", "teach", "teaches"),
        ("does", "have", "has"),
        ("did", "decline", "declined"),
        ("did", "sell", "sold"),
        ("did", "carry", "carried"),
        ("did", "stay", "stayed"),
        ("did", "stop", "stopped"),
        ("did", "permit", "permitted"),
        ("did", "visit", "visited"),
        ("did", "rain", "rained"),
        ("did", "open", "opened"),
        ("did", "close", "closed"),
        ("do", "bring", "bring"),
    ],
)
def test_verbs_without_their_auxiliary(auxiliary: str, verb: str, written: str) -> None:
    assert inflect(auxiliary, verb) == written
