"""The best scores of one channel."""

from __future__ import annotations

from multihop.parts.selectors import TopScore

from ..making import BARE, met, state


def test_the_best_of_the_channel_come_first_and_ties_go_by_id() -> None:
    found = state(
        met("b", scores={"bm25": 2.0, "dense": 0.9}),
        met("a", scores={"bm25": 2.0}),
        met("c", scores={"bm25": 5.0}),
        k=2,
    )
    chosen = TopScore("bm25").select(found, BARE).choices
    assert [(c.passage_id, c.score, c.reason) for c in chosen] == [
        ("c#0", 5.0, "bm25 rank 1"),
        ("a#0", 2.0, "bm25 rank 2"),
    ]


def test_what_the_channel_does_not_know_comes_last() -> None:
    found = state(met("a", scores={"bm25": 2.0}), met("b", scores={"dense": 0.1}))
    assert [c.passage_id for c in TopScore("dense").select(found, BARE).choices] == ["b#0", "a#0"]
