from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.lm import Limits
from multihop.lm.limits import Usage
from multihop.types import LmCall


def test_calls_are_refused_beyond_the_limit() -> None:
    usage = Usage(Limits(calls=2))
    assert [usage.admit() for _ in range(3)] == ["", "", "the limit of 2 calls is reached"]


def test_no_call_once_the_tokens_are_spent() -> None:
    usage = Usage(Limits(tokens=100))
    assert usage.admit() == ""
    usage.record(LmCall("step", 1, tokens_in=90, tokens_out=20))
    assert usage.admit() == "the limit of 100 tokens is reached"


def test_answers_from_the_cache_cost_no_tokens() -> None:
    usage = Usage(Limits(tokens=100))
    usage.record(LmCall("step", 1, tokens_in=90, tokens_out=20, cached=True))
    assert usage.admit() == ""


def test_waiting_counts_once_for_a_whole_batch() -> None:
    now = [0.0]
    usage = Usage(Limits(seconds=10), clock=lambda: now[0])
    started = usage.now()
    now[0] = 4.0
    usage.add_wait(started)
    assert usage.seconds_left == 6.0
    started = usage.now()
    now[0] = 20.0
    usage.add_wait(started)
    assert usage.admit() == "the limit of 10 seconds is reached"


@pytest.mark.parametrize("wrong", [{"calls": -1}, {"tokens": True}, {"seconds": float("nan")}, {"seconds": "9"}])
def test_limits_are_numbers(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="must be a non-negative number"):
        Limits(**wrong)  # type: ignore[arg-type]  # wrong on purpose
