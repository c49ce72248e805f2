from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from multihop.rendering.phrases import fit, one_line, passage_name, pluralize, shorten
from multihop.types import Passage


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("a ship", 6, "a ship"),
        ("a ship of oak", 8, "a ship…"),
        ("a ship, of oak", 9, "a ship…"),
        ("unbreakable", 6, "unbre…"),
        ("a unbreakable", 9, "a unbrea…"),
    ],
)
def test_a_long_text_is_cut_between_words_where_one_ends_near(text: str, limit: int, expected: str) -> None:
    assert shorten(text, limit) == expected


@given(st.text(), st.integers(2, 60))
def test_what_is_shortened_fits(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
    assert len(one_line(text, limit).splitlines()) <= 1


def test_wide_letters_take_two_columns() -> None:
    assert fit("東京は日本の首都です。", 8) == "東京は…"
    assert fit("Tokyo", 8) == "Tokyo"


def test_what_could_steer_a_terminal_is_left_out() -> None:
    assert one_line("red \x1b[31m\nship\x07") == "red [31m ship"
    assert one_line("annual\u202etxt.exe\u2066\U000e0041") == "annualtxt.exe"


def test_names_and_numbers() -> None:
    assert [pluralize(1, "query", "queries"), pluralize(1204, "query", "queries"), pluralize(0, "hop")] == [
        "1 query", "1,204 queries", "0 hops",
    ]  # fmt: skip
    assert passage_name(Passage("a#1", "a", 1, "Fram", "text", "Design")) == "Fram › Design"
    assert passage_name(Passage("a#0", "a", 0, "", "text")) == "a#0"
