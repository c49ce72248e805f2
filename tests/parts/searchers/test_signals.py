"""Every passage scored by signals, and the walk that begins with the best of them."""

from __future__ import annotations

import pytest

from multihop import Engine
from multihop.parts.searchers import LinkWalker, SignalSearcher, SignalWalker
from multihop.protocols import Context
from multihop.types import Query, Walk

QUERY = Query("Who drew the ship Fram?", "asked", 4)
WALKER = SignalWalker(SignalSearcher(), (LinkWalker(),))
WALK = Walk(QUERY.text, "links", 4, (("fram-ship#0", 1.0),))


@pytest.fixture
def context(sample: Engine) -> Context:
    return Context(sample.index())


def test_every_hit_has_all_signals_and_their_mean(context: Context) -> None:
    [hits] = SignalSearcher(threshold=0.0).search([QUERY], context)
    best = [h.passage_id for h in hits if h.channel == "combined"]
    assert best[0] == "fram-ship#0"
    assert len(best) == 4
    for channel in {h.channel for h in hits}:
        assert {h.passage_id for h in hits if h.channel == channel} == set(best)


def test_what_scores_below_the_threshold_is_left_out_and_counted(context: Context) -> None:
    [hits] = SignalSearcher(threshold=0.99).search([QUERY], context)
    assert hits == ()
    assert "182 of 182 passages score below the threshold of 0.99" in [note.text for note in context.notes]


def test_what_a_step_of_the_walk_meets_is_scored_too(context: Context) -> None:
    [hits] = WALKER.walk([WALK], context)
    reached = {h.passage_id for h in hits if h.via}
    assert "colin-archer#0" in reached
    assert {h.passage_id for h in hits if h.channel == "combined"} == reached
