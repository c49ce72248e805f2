"""The learned fusion: what counts, by which weight, and how it is told."""

from __future__ import annotations

from multihop.parts.selectors import LearnedFusion
from multihop.parts.selectors.fusion import WEIGHTS
from multihop.types import Channel

from ..making import BARE, met, state


def test_a_rare_link_outweighs_a_slightly_better_match() -> None:
    found = state(
        met("a", scores={"bm25": 10.0}),
        met("b", scores={"bm25": 8.0, "link": 0.5, "rare link": 0.5}, link="a#0"),
        met("c", scores={"bm25": 7.0}),
    )
    first, second, third = LearnedFusion().select(found, BARE).choices
    assert [first.passage_id, second.passage_id, third.passage_id] == ["b#0", "a#0", "c#0"]
    assert first.score == 0.8 * WEIGHTS["match"] + 0.5 * WEIGHTS["link"] + 0.5 * WEIGHTS["rare link"]
    assert first.reason == "linked from “a”; shares words with the question"


def test_weights_of_ones_own_decide() -> None:
    found = state(met("a", scores={"bm25": 10.0}), met("b", scores={"bm25": 1.0, "dense": 0.9}), k=1)
    by_meaning = LearnedFusion({**WEIGHTS, "match": 0.0, "dense": 1.0})
    [best] = by_meaning.select(found, BARE).choices
    assert (best.passage_id, best.reason) == ("b#0", "near the question in meaning")


def test_a_title_that_the_question_says_counts() -> None:
    found = state(
        met("Volcano", scores={"bm25": 1.0}), met("Bridge", scores={"bm25": 1.0}), question="What is a volcano?"
    )
    assert [c.passage_id for c in LearnedFusion().select(found, BARE).choices] == ["Volcano#0", "Bridge#0"]


def test_the_next_best_wait_on_the_bench() -> None:
    found = state(*(met(f"p{i:02}", scores={"bm25": 20.0 - i}) for i in range(15)), k=3)
    selection = LearnedFusion().select(found, BARE)
    assert [c.passage_id for c in selection.choices] == ["p00#0", "p01#0", "p02#0"]
    assert [c.passage_id for c in selection.bench] == [f"p{i:02}#0" for i in range(3, 13)]


def test_a_channel_of_ones_own_is_weighed_and_explained_in_its_words() -> None:
    years = Channel("years", "share of the years", reason="mentions the year {via}")
    found = state(met("a", scores={"bm25": 10.0}), met("b", scores={years: 1.0}, years="1883"), k=2)
    best, other = LearnedFusion({**WEIGHTS, years: 2.0}).select(found, BARE).choices
    assert (best.passage_id, best.score, best.reason) == ("b#0", 2.0, "mentions the year 1883")
    assert other.reason == "shares words with the question"
    assert LearnedFusion().select(found, BARE).choices[1].reason == "fills the budget"


def test_a_channel_known_by_its_name_alone_is_weighed_too() -> None:
    found = state(met("a", scores={"sonar": 0.5}), k=1)
    [only] = LearnedFusion({"sonar": 1.0}).select(found, BARE).choices
    assert (only.score, only.reason) == (0.5, "found by sonar")


def test_what_has_no_weight_does_not_count() -> None:
    found = state(
        met("Volcano", scores={"bm25": 5.0, "name": 1.0, "dense": 0.9}),
        met("b", scores={"bm25": 10.0}),
        question="What is a volcano?",
    )
    choices = LearnedFusion({"match": 1.0}).select(found, BARE).choices
    assert [(c.passage_id, c.score) for c in choices] == [("b#0", 1.0), ("Volcano#0", 0.5)]
