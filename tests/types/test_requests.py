from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

import pytest

from multihop import Engine, Request
from multihop.errors import InvalidBudget, InvalidFilter, InvalidInput, InvalidQuestion, UnknownName
from multihop.types import LONGEST_QUESTION, MOST_PASSAGES, OPTIONS, RequestOptions

QUESTION = "Who drew the ship that Amundsen borrowed?"


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"question": " "}, InvalidQuestion, "the question is empty"),
        ({"question": None}, InvalidQuestion, "a question is a text, got NoneType"),
        ({"question": 3}, InvalidQuestion, "a question is a text, got int"),
        ({"question": b"x"}, InvalidQuestion, "a question is a text, got bytes"),
        ({"question": ["a"]}, InvalidQuestion, "a question is a text, got list"),
        ({"question": "x" * (LONGEST_QUESTION + 1)}, InvalidQuestion, "20001 characters; at most 20000"),
        ({"k": 0}, InvalidBudget, f"from 1 to {MOST_PASSAGES}; got 0"),
        ({"k": True}, InvalidBudget, "got True"),
        ({"k": MOST_PASSAGES + 1}, InvalidBudget, "got 1001"),
        ({"where": "country=Japan"}, InvalidFilter, "where is a filter, .* field to condition; got 'country=Japan'"),
        ({"keep": ["Japan"]}, InvalidFilter, "keep is a filter, a mapping from field to condition; got"),
        ({"exclude": "fram-ship"}, InvalidFilter, "exclude is a list of ids of passages or documents, not 'fram-ship'"),
        ({"at_most": 2}, InvalidFilter, "at_most is a mapping from field to number of passages, not 2"),
        ({"at_most": {"source": 0}}, InvalidFilter, "at_most of 'source' is a number of passages from 1 on, not 0"),
    ],
)
def test_a_request_is_checked_when_it_is_made(wrong: Mapping[str, Any], kind: type[InvalidInput], message: str) -> None:
    with pytest.raises(kind, match=message):
        Request(**{"question": QUESTION, **wrong})


def test_keywords_and_fields_are_the_same() -> None:
    """One is for type checkers, which cannot derive it from the other."""
    hints = get_type_hints(Request)
    assert get_type_hints(RequestOptions) == {name: kind for name, kind in hints.items() if name != "question"}
    usual = Request(QUESTION)
    assert {name: each.default for name, each in OPTIONS.items()} == {name: getattr(usual, name) for name in OPTIONS}


def test_a_request_changed_by_options_is_another() -> None:
    request = Request(QUESTION, k=3)
    assert Request.of(request) is request
    assert Request.of(request, k=5) == Request(QUESTION, k=5)
    with pytest.raises(InvalidBudget, match="got 0"):
        Request.of(request, k=0)


def test_the_engine_takes_a_request_as_it_takes_keywords(sample: Engine) -> None:
    request = Request(QUESTION, k=3, strategy="bm25", where={"country": "Norway"}, keep={"kind": "person"})
    options: RequestOptions = {"k": 3, "strategy": "bm25", "where": {"country": "Norway"}, "keep": {"kind": "person"}}
    by_keywords = sample.retrieve(QUESTION, **options)
    assert sample.retrieve(request) == by_keywords
    assert sample.answer(request).result == by_keywords
    assert list(sample.retrieve_many([request])) == [by_keywords]
    assert len(sample.retrieve(request, k=1).evidence) == 1


def test_a_strategy_is_a_name_or_a_strategy(sample: Engine) -> None:
    wrong: Any = 5
    with pytest.raises(UnknownName, match=r"a strategy is a name or a multihop\.Strategy, got 5"):
        sample.retrieve(Request(QUESTION, strategy=wrong))
