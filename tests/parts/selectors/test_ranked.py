"""The learned ranking: what it reads, what its scores mean, and what it does beyond its depth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from multihop.parts.rerankers import built_in
from multihop.parts.selectors import LearnedFusion, RankedFusion
from multihop.parts.selectors.ranked import Trust
from multihop.protocols import Context, Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Pair, Selection

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
    described = RankedFusion().describe_best(found, context_of(store))
    [reading] = described.readings
    assert 0 < described.rows[0, 15] < 0.5
    assert reading.passage.title == "a"


BORROWED = "Who drew the ship that Amundsen borrowed?"
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


def test_titles_that_identify_passages_earn_the_trees_their_trust() -> None:
    encyclopedia = Trust.of([f"Article {i}" for i in range(150)])
    novel = Trust.of(["Moby Dick"] * 150)
    handbook = Trust.of([f"Page {i * 3 // 5}" for i in range(150)])
    assert (encyclopedia.match, encyclopedia.trees) == (0.0, 1.0)
    assert novel.trees < handbook.trees < encyclopedia.trees
    assert novel.match > handbook.match > 0
    assert novel.promise > handbook.promise > encyclopedia.promise == 0
    assert novel.doubt > handbook.doubt > encyclopedia.doubt == 0
    assert novel.fewest > handbook.fewest > encyclopedia.fewest
    assert novel.room > handbook.room > encyclopedia.room
    assert Trust.of([]) == novel


@dataclass(frozen=True)
class Listening:
    """A reranker that writes down what it is given."""

    read: list[str]
    calibrated: bool = False
    identity: str = "test:listening"

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        self.read.extend(pair.passage for pair in pairs)
        return [1.0] * len(pairs)


def numbers_read(title: str, most: int) -> set[int]:
    """Rank forty passages, the last of which say most of what is asked; returns which of them were read."""
    said = ["A ship, number {}."] * 28 + ["The Fram, number {}., is the ship that Amundsen borrowed."] * 12
    pool = [met(f"p{i:02}", text.format(i), {"bm25": 40.0 - i}) for i, text in enumerate(said)]
    if title:
        pool = [c._replace(passage=replace(c.passage, title=title)) for c in pool]
    read: list[str] = []
    asked = state(*pool, question=BORROWED, k=5)
    RankedFusion(read=most, reranker=Listening(read)).finish(asked, BARE)
    return {i for i in range(40) for passage in read if f"number {i}." in passage}


@pytest.mark.parametrize("title", ["", "Log"])
def test_the_best_matches_are_read_whatever_the_trees_say(title: str) -> None:
    assert numbers_read(title, 1) >= set(range(4))


def test_more_matches_are_read_where_titles_identify_nothing() -> None:
    assert len(numbers_read("Log", 12) & set(range(8))) == 8
    assert len(numbers_read("", 12) & set(range(8))) < 8


@pytest.mark.parametrize(("title", "most"), [("", 320), ("Log", 520)])
def test_more_of_a_passage_is_read_where_titles_identify_nothing(title: str, most: int) -> None:
    log = " ".join(f"On day {day} the Fram, the ship that Amundsen borrowed, lay at anchor." for day in range(20))
    pool = [met(f"p{i}", log, {"bm25": 9.0 - i}) for i in range(8)]
    if title:
        pool = [c._replace(passage=replace(c.passage, title=title)) for c in pool]
    read: list[str] = []
    RankedFusion(read=8, reranker=Listening(read)).finish(state(*pool, question=BORROWED, k=5), BARE)
    assert {len(passage.partition(": ")[2]) // 10 for passage in read} == {most // 10}


def test_without_a_ranker_the_trees_decide_and_the_trace_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_in, "ranker", lambda: None)
    found, context = state(*POOL, question=BORROWED, k=2), Context(BARE.index)
    assert RankedFusion(read=4).finish(found, context) == RankedFusion().select(found, BARE)
    [note] = context.notes
    assert note.code == "reranker-failed"
    assert note.text == "the ranker was not used: onnxruntime is not installed (pip install onnxruntime)"


@dataclass(frozen=True)
class Saying:
    """A reranker that gives each passage the number under its title."""

    scores: Mapping[str, float]
    calibrated: bool = False
    identity: str = "test:saying"

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        return [self.scores[pair.passage.partition(":")[0]] for pair in pairs]


TEA_FIRST = {"Fram (ship)": 0.2, "Roald Amundsen": 0.1, "Tea": 0.9, "Salt": 0.05}


def read_by(scores: Mapping[str, float], *, calibrated: bool) -> Selection:
    asked = state(*POOL, question=BORROWED, k=4)
    return RankedFusion(read=4, reranker=Saying(scores, calibrated)).finish(asked, Context(BARE.index))


def test_another_reranker_has_its_say_and_the_selection_names_it() -> None:
    sure = {**dict.fromkeys(TEA_FIRST, 1e-6), "Tea": 1 - 1e-6}
    found = read_by(sure, calibrated=True)
    assert found.choices[0].passage_id == "Tea#0"
    assert (found.calibrated, found.reranker) == (True, "test:saying")
    assert RankedFusion().select(state(*POOL, question=BORROWED, k=2), BARE).reranker == ""


def test_scores_that_are_no_probabilities_count_on_any_scale() -> None:
    plain = read_by(TEA_FIRST, calibrated=False)
    stretched = read_by({title: 1000 * score - 7 for title, score in TEA_FIRST.items()}, calibrated=False)
    assert not plain.calibrated
    assert [c.passage_id for c in plain.choices] == [c.passage_id for c in stretched.choices]
    assert [c.score for c in plain.choices] == pytest.approx([c.score for c in stretched.choices])
    by_trees = [c.passage_id for c in RankedFusion().select(state(*POOL, question=BORROWED, k=4), BARE).choices]
    same = [c.passage_id for c in read_by(dict.fromkeys(TEA_FIRST, 3.0), calibrated=False).choices]
    read = [c.passage_id for c in plain.choices]
    assert same == by_trees
    assert read.index("Tea#0") < by_trees.index("Tea#0")


@pytest.mark.parametrize(
    ("scores", "calibrated", "problem"),
    [
        ({**TEA_FIRST, "Tea": math.nan}, False, "test:saying gave the score nan; scores must be finite"),
        ({**TEA_FIRST, "Tea": 2.0}, True, "test:saying gave the probability 2; it must lie between 0 and 1"),
    ],
)
def test_a_reranker_that_says_nonsense_is_left_out_with_a_note(
    scores: Mapping[str, float], calibrated: bool, problem: str
) -> None:
    asked, context = state(*POOL, question=BORROWED, k=2), Context(BARE.index)
    found = RankedFusion(read=4, reranker=Saying(scores, calibrated)).finish(asked, context)
    assert found == RankedFusion().select(asked, BARE)
    [note] = context.notes
    assert (note.code, note.data) == ("reranker-failed", {"reranker": "test:saying", "problem": problem})
