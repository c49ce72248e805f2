"""Selection by signals, alone and on the graph."""

from __future__ import annotations

import pytest

from multihop.parts.selectors import SignalsOnGraph, TopSignals
from multihop.protocols import Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Relation

from ..making import BARE, context_of, met, state

STRONG = met("a", scores={"combined": 0.6, "patterns": 0.8, "fuzzy": 0.4})
WEAK = met("b", scores={"combined": 0.3, "patterns": 0.3})
REACHED = met("c", scores={"combined": 0.25, "CAUSES": 0.9}, hop=2, CAUSES="a#0")


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    filled = fill(store_factory(), *(Document(id, f"On {id}.", id) for id in "abc"))
    filled.relate([Relation("a#0", "c#0", "CAUSES", 0.9)])
    return filled


def test_the_best_mean_comes_first_and_its_signals_are_told() -> None:
    first, second = TopSignals().select(state(WEAK, STRONG), BARE).choices
    assert (first.passage_id, first.score, first.reason) == ("a#0", 0.6, "patterns 0.80, fuzzy 0.40")
    assert (second.passage_id, second.reason) == ("b#0", "patterns 0.30")


def test_a_relation_that_leads_to_a_passage_lifts_it(store: Store) -> None:
    selector = SignalsOnGraph(threshold=0.0)
    ranked = selector.select(state(STRONG, WEAK, REACHED), context_of(store)).choices
    assert [c.passage_id for c in ranked] == ["a#0", "c#0", "b#0"]
    assert ranked[1].score >= 0.25 + 0.2 * 0.9
    assert ranked[1].reason.startswith("a → c (CAUSES 0.90)")


def test_what_stays_below_the_threshold_is_left_out(store: Store) -> None:
    ranked = SignalsOnGraph(threshold=0.4).select(state(STRONG, WEAK, REACHED), context_of(store)).choices
    assert [c.passage_id for c in ranked] == ["a#0", "c#0"]
