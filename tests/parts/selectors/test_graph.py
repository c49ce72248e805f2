"""Selection on the graph: a passage rises by what leads to it, and says through which path it was reached."""

from __future__ import annotations

import pytest

from multihop.parts.selectors import GraphFusion
from multihop.protocols import Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Relation

from ..making import context_of, met, state


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    filled = fill(store_factory(), *(Document(id, f"On {id}.", id) for id in "abcd"))
    filled.relate([Relation("a#0", "d#0", "EXPLAINS", 0.9), Relation("d#0", "b#0", "CAUSES", 0.9)])
    return filled


def test_what_good_passages_lead_to_rises(store: Store) -> None:
    found = state(
        met("a", scores={"bm25": 9.0}),
        met("b", scores={"bm25": 8.0}),
        met("c", scores={"bm25": 3.0}),
        met("d", scores={"bm25": 2.5, "EXPLAINS": 0.9}, hop=2, EXPLAINS="a#0"),
        k=4,
    )
    ranked = GraphFusion().select(found, context_of(store)).choices
    assert [c.passage_id for c in ranked] == ["a#0", "b#0", "d#0", "c#0"]
    assert ranked[2].reason.startswith("a → d (EXPLAINS 0.90)")
    flat = GraphFusion({**GraphFusion().weights, "relation": 0.0, "centrality": 0.0})
    assert [c.passage_id for c in flat.select(found, context_of(store)).choices][2:] == ["c#0", "d#0"]
