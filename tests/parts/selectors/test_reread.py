"""The last word of a ranking that reads: its order, the reasons of the strategy, and respect for a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.parts.rerankers import BuiltInReranker
from multihop.parts.selectors import RankedFusion, Reread, TopScore, model_free, read_by, unread
from multihop.parts.selectors.lm import JudgedLast
from multihop.protocols import Finisher
from multihop.types import Pair, Replacement, Selection
from multihop.types.channels import BM25

from ..making import BARE, met, state

QUESTION = "Who drew the ship that Amundsen borrowed?"
POOL = (
    met("Tea", "A ship of tea that the architect borrowed.", {"bm25": 9.5}),
    met("Fram (ship)", "The Fram is a wooden schooner. Colin Archer drew her lines. Roald Amundsen later borrowed her "
        "for his voyage towards the South Pole.", {"bm25": 9.0}),
    met("Roald Amundsen", "Roald Amundsen was the Norwegian explorer who led the first party to stand at the South "
        "Pole. He sailed south in the Fram (ship).", {"bm25": 7.0, "name": 1.0}, name="Amundsen"),
    met("Salt", "Salt is won from the sea.", {"bm25": 0.9}),
)  # fmt: skip
ASKED = state(*POOL, question=QUESTION, k=2)
WORDS = TopScore(BM25)
BY_WORDS = WORDS.select(ASKED, BARE)
SELECTED = replace(ASKED, selection=BY_WORDS)
READING = RankedFusion(read=4)


def test_the_ranking_orders_and_the_strategy_gives_the_reasons() -> None:
    assert BY_WORDS.choices[0].passage_id == "Tea#0"
    found = Reread(WORDS, READING).finish(SELECTED, BARE)
    assert {c.passage_id for c in found.choices} == {"Fram (ship)#0", "Roald Amundsen#0"}
    reasons = {c.passage_id: c.reason for c in (*BY_WORDS.choices, *BY_WORDS.bench)}
    told = {c.passage_id: c.reason for c in (*found.choices, *found.bench)}
    assert {id: told[id] for id in reasons} == reasons


def test_what_the_ranking_thinks_unlikely_stays_in_the_order_of_the_strategy() -> None:
    asked = state(*(met(f"p{i}", "Nothing of it.", {"bm25": 5.0 - i}) for i in range(5)), question=QUESTION, k=4)
    by_words = WORDS.select(asked, BARE)
    found = Reread(WORDS, READING).finish(replace(asked, selection=by_words), BARE)
    assert [c.passage_id for c in found.choices] == [c.passage_id for c in by_words.choices]
    scores = [c.score for c in found.choices]
    assert scores == sorted(scores, reverse=True)


def test_an_order_of_a_language_model_counts_as_much() -> None:
    ranked_by_lm = replace(SELECTED, selection=replace(BY_WORDS, ranked_by_lm=True))
    read = [c.passage_id for c in Reread(WORDS, READING).finish(SELECTED, BARE).choices]
    both = [c.passage_id for c in Reread(WORDS, READING).finish(ranked_by_lm, BARE).choices]
    # Tea is first by the model and last by the ranking; the ship is liked by both.
    assert ("Tea#0" in read, "Tea#0" in both) == (False, True)
    assert "Fram (ship)#0" in both


@dataclass(frozen=True)
class Uncalibrated:
    """The reranker of the package on a scale of its own."""

    calibrated: bool = False
    identity: str = "test:uncalibrated"

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        return [10 * score - 3 for score in BuiltInReranker().score(question, pairs)]


def test_both_orders_count_where_the_ranking_gives_no_probabilities() -> None:
    calibrated = Reread(WORDS, READING)
    plain = calibrated.with_reranker(Uncalibrated())
    assert isinstance(plain, Finisher)
    found = plain.finish(SELECTED, BARE)
    assert (found.calibrated, found.reranker) == (False, "test:uncalibrated")
    assert calibrated.finish(SELECTED, BARE).calibrated
    # As with a language model: Tea is first by its words.
    assert {c.passage_id for c in found.choices} == {"Tea#0", "Fram (ship)#0"}


def test_a_selector_states_its_forms_with_another_reranker_and_without_models() -> None:
    mine = Uncalibrated()
    whole = Reread(WORDS, READING)
    assert read_by(whole, mine) == Reread(WORDS, replace(READING, reranker=mine))
    assert read_by(WORDS, mine) == Reread(WORDS, RankedFusion(read=32, reranker=mine))
    assert (unread(whole), model_free(whole)) == (WORDS, WORDS)
    assert (unread(READING), model_free(READING)) == (RankedFusion(), READING.fusion)
    judged = JudgedLast(READING)
    assert read_by(judged, mine) == JudgedLast(replace(READING, reranker=mine))
    assert (unread(judged), model_free(judged)) == (JudgedLast(RankedFusion()), JudgedLast(READING.fusion))
    assert (unread(WORDS), model_free(WORDS)) == (WORDS, WORDS)


def test_only_replacements_that_still_hold_are_told() -> None:
    swaps = (Replacement("Salt#0", "Fram (ship)#0", "named"), Replacement("Roald Amundsen#0", "Tea#0", "words"))
    before = Selection(BY_WORDS.choices, swaps, BY_WORDS.bench)
    assert Reread(WORDS, READING).finish(replace(ASKED, selection=before), BARE).replaced == swaps[:1]
