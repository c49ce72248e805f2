"""The learned ranking: what it reads, what its scores mean, and what it does beyond its depth."""

from __future__ import annotations

import pytest

from multihop.parts.selectors import LearnedFusion, RankedFusion, ranked
from multihop.protocols import Context, Store
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


BORROWED = "Who was the architect of the ship that Amundsen borrowed?"
POOL = (
    met("Fram (ship)", "The Fram is a wooden schooner. Colin Archer drew her lines. Roald Amundsen later borrowed her "
        "for his voyage towards the South Pole.", {"bm25": 9.0}),
    met("Roald Amundsen", "Roald Amundsen was the Norwegian explorer who led the first party to stand at the South "
        "Pole. He sailed south in the Fram (ship).", {"bm25": 7.0, "name": 1.0}, name="Amundsen"),
    met("Tea", "Tea is made of the leaves of a shrub.", {"bm25": 1.0}),
    met("Salt", "Salt is won from the sea.", {"bm25": 0.9}),
)  # fmt: skip
EVIDENCE = {"Fram (ship)#0", "Roald Amundsen#0"}


def test_a_reader_orders_what_the_trees_left_open() -> None:
    selection = RankedFusion(read=4).finish(state(*POOL, question=BORROWED, k=2), BARE)
    assert {c.passage_id for c in selection.choices} == EVIDENCE
    assert all(0 < c.score < 1 for c in (*selection.choices, *selection.bench))


def test_what_was_not_read_stays_behind_what_was() -> None:
    found = state(*(met(f"p{i:02}", "A ship.", {"bm25": 20.0 - i}) for i in range(15)), question=QUESTION, k=15)
    by_trees = [c.passage_id for c in RankedFusion().select(found, BARE).choices]
    by_both = [c.passage_id for c in RankedFusion(read=5).finish(found, BARE).choices]
    assert set(by_both[:5]) == set(by_trees[:5])
    assert by_both[5:] == by_trees[5:]


def test_without_a_ranker_the_trees_decide_and_the_trace_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranked, "ranker", lambda: None)
    found, context = state(*POOL, question=BORROWED, k=2), Context(BARE.index)
    assert RankedFusion(read=4).finish(found, context) == RankedFusion().select(found, BARE)
    [note] = context.notes
    assert note == "the ranker was not used: onnxruntime is not installed (pip install onnxruntime)"
