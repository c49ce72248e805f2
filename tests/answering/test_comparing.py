from __future__ import annotations

import pytest

from multihop.answering.comparing import sub_question


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Which study received more money, Asta or Bera?", "How much money has {} received?"),
        ("Which ward has more beds, Asta or Bera?", "How many beds does {} have?"),
        ("Which project has the larger budget, Asta or Bera?", "What is the budget of {}?"),
        ("Which ship is longer, Asta or Bera?", "How long is {}?"),
        ("Which is more expensive, Asta or Bera?", "What does {} cost?"),
        ("Who was born first, Asta or Bera?", "When was {} born?"),
    ],
)
def test_the_question_for_the_value_of_each_side(asked: str, value: str) -> None:
    assert sub_question(asked) == value
