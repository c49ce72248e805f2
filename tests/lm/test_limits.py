from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.lm import Limits
from multihop.lm.limits import Ledger
from multihop.types import LmCall


def test_calls_are_refused_beyond_the_limit() -> None:
    ledger = Ledger(Limits(calls=2))
    assert [ledger.admit() for _ in range(3)] == ["", "", "the limit of 2 calls is reached"]


def test_no_call_once_the_tokens_are_spent() -> None:
    ledger = Ledger(Limits(tokens=100))
    assert ledger.admit() == ""
    ledger.enter(LmCall("step", 1, tokens_in=90, tokens_out=20))
    assert ledger.admit() == "the limit of 100 tokens is reached"


def test_answers_from_the_cache_cost_no_tokens() -> None:
    ledger = Ledger(Limits(tokens=100))
    ledger.enter(LmCall("step", 1, tokens_in=90, tokens_out=20, cached=True))
    assert ledger.admit() == ""


def test_waiting_counts_once_for_a_whole_batch() -> None:
    now = [0.0]
    ledger = Ledger(Limits(seconds=10), clock=lambda: now[0])
    started = ledger.now()
    now[0] = 4.0
    ledger.waited(started)
    assert ledger.seconds_left == 6.0
    started = ledger.now()
    now[0] = 20.0
    ledger.waited(started)
    assert ledger.admit() == "the limit of 10 seconds is reached"


@pytest.mark.parametrize("wrong", [{"calls": -1}, {"tokens": True}, {"seconds": float("nan")}, {"seconds": "9"}])
def test_limits_are_numbers(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="is a number from 0 on"):
        Limits(**wrong)  # type: ignore[arg-type]  # wrong on purpose
