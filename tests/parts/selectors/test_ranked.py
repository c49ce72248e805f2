"""The learned ranking: what it reads, what its scores mean, and what it does beyond its depth."""

from __future__ import annotations

from multihop.parts.selectors import LearnedFusion, RankedFusion
from multihop.protocols import Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document

from ..making import BARE, context_of, met, state

QUESTION = "In which town was the architect of the ship Fram born?"


def test_the_passage_that_the_evidence_leads_to_beats_one_that_shares_words() -> None:
    found = state(
        met("Fram", "The ship Fram was drawn by the architect Colin Archer.", {"bm25": 9.0, "name": 1.0}, name="Fram"),
        met("Town", "A town is where a ship, an architect and others were born.", {"bm25": 8.0}),
        met("Colin Archer", "Born in the town of Larvik.", {"bm25": 3.0, "link": 0.9, "rare link": 0.9}, link="Fram#0"),
        question=QUESTION,
        k=2,
    )  # fmt: skip
    assert [c.passage_id for c in RankedFusion().select(found, BARE).choices] == ["Fram#0", "Colin Archer#0"]


def test_scores_are_chances_and_fall() -> None:
    found = state(*(met(f"p{i:02}", "A ship.", {"bm25": 20.0 - i}) for i in range(15)), question=QUESTION, k=3)
    selection = RankedFusion().select(found, BARE)
    scores = [c.score for c in (*selection.choices, *selection.bench)]
    assert len(selection.choices) == 3
    assert len(selection.bench) == 10
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)


def test_what_lies_beyond_the_depth_stands_behind_in_the_order_of_the_sum() -> None:
    found = state(*(met(f"p{i}", "A ship.", {"bm25": 9.0 - i}) for i in range(5)), question=QUESTION, k=5)
    choices = RankedFusion(LearnedFusion({"match": 1.0}), depth=2).select(found, BARE).choices
    assert {c.passage_id for c in choices[:2]} == {"p0#0", "p1#0"}
    assert [(c.passage_id, c.score) for c in choices[2:]] == [("p2#0", 0.0), ("p3#0", 0.0), ("p4#0", 0.0)]


def test_an_empty_pool_gives_an_empty_budget() -> None:
    assert RankedFusion().select(state(question=QUESTION), BARE).choices == ()


def test_rare_words_are_known_from_the_index(store_factory: StoreFactory) -> None:
    store: Store = fill(
        store_factory(), *(Document(f"{i}", "A common ship.") for i in range(9)), Document("rare", "A zeppelin.")
    )
    found = state(met("a", "A common ship.", {"bm25": 1.0}), question="common zeppelin", k=1)
    described = RankedFusion().described(found, context_of(store))
    [reading] = described.readings
    assert 0 < described.rows[0, 15] < 0.5
    assert reading.passage.title == "a"
