"""Questions and claims in other words: what a model may have changed is dropped, and the rest keeps its verdict."""

from __future__ import annotations

import importlib
import random

import pytest
from contrast import Example, Verdict
from reading_examples import Asked, Examples, Kind, to_array

from multihop.models.wordpiece import tokens

pytestmark = pytest.mark.training


def test_what_loses_a_number_a_name_or_a_denial_is_dropped() -> None:
    reworded = importlib.import_module("reworded")
    said = "the hall of zirkowitz was opened by marit holm in 1999."
    assert reworded.faithful(said, "in 1999 marit holm inaugurated the hall of zirkowitz.")
    assert not reworded.faithful(said, "marit holm inaugurated the hall of zirkowitz.")
    assert not reworded.faithful(said, "in 1999 marit holm did not inaugurate the hall of zirkowitz.")
    assert not reworded.faithful(said, "in 1999 marit holm inaugurated the hall of another town.")
    assert not reworded.faithful(said, said)


def test_tokens_read_like_text_and_of_an_output_the_first_line_counts() -> None:
    reworded = importlib.import_module("reworded")
    assert reworded.readable(tokens("It isn't open at 19:30 (no. 4).", 40)) == "it isn't open at 19:30 (no. 4)."
    assert reworded.cleaned('Question: "Who opened the hall?"\nmore', "question") == "who opened the hall?"
    assert not reworded.cleaned("That is a good question.", "question")


def test_questions_and_claims_are_drawn_once_each() -> None:
    reworded = importlib.import_module("reworded")
    made = Examples()
    for number in range(30):
        made.judge("stated", Example(f"The ship number {number} sank at sea.", ("It sank.",), Verdict.SUPPORTED))
        document = made.add("It sank.", 20)
        question = to_array(f"Where did ship {number} sink then?", 30)
        made.asked["squad"].append(Asked(question, (document,), {}, Kind.NONE))
    drawn = list(reworded.drawn(made, random.Random(1)))
    assert len(drawn) == len(set(drawn)) == 60
    assert {(each.kind, each.source) for each in drawn} == {("claim", "stated"), ("question", "squad")}
