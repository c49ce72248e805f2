"""What the rule-based planner reads out of a question."""

from __future__ import annotations

import pytest

from multihop.parts.planners.rules import clauses, entities
from multihop.types import Mention


def found(question: str, *mentions: Mention) -> list[tuple[str, str]]:
    return [(e.text, e.kind) for e in entities(question, mentions)]


def test_capitalized_spans_quotes_and_numbers() -> None:
    question = 'Did the band that recorded "Tinted Windows" play in Tulsa before 1987?'
    assert found(question) == [("Tinted Windows", "quote"), ("Tulsa", "span"), ("1987", "number")]


def test_first_word_is_not_a_name_because_it_begins_the_question() -> None:
    assert found("Which city is larger?") == []
    assert found("The Kentucky River flows north.") == [("Kentucky River", "span")]


def test_title_takes_the_place_of_the_span_it_fills() -> None:
    mention = Mention("kentucky river", ("Kentucky River",), (1,), 1, 3)
    assert found("The Kentucky River flows north.", mention) == [("Kentucky River", "title")]


def test_everyday_word_that_is_also_a_title_is_no_entity() -> None:
    assert found("a second film", Mention("film", ("Film",), (1,), 2, 3)) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote it?", ()),
        (
            "The airport that is a short drive from Coldwaltham, is the busiest airport outside of London.",
            ("The airport that is a short drive from Coldwaltham", "is the busiest airport outside of London"),
        ),
        (
            "Ada Lovelace wrote notes on an engine and Charles Babbage designed that engine.",
            ("Ada Lovelace wrote notes on an engine", "Charles Babbage designed that engine"),
        ),
    ],
)
def test_clauses(question: str, expected: tuple[str, ...]) -> None:
    assert clauses(question) == expected
