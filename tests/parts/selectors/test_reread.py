"""The last word of a ranking that reads: its order, the reasons of the strategy, and respect for a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.parts.selectors import RankedFusion, Reread, TopScore
from multihop.protocols import Context, LmAnswer, Step
from multihop.types import LmCall, Replacement, Selection
from multihop.types.channels import BM25

from ..making import BARE, met, state

QUESTION = "Who was the architect of the ship that Amundsen borrowed?"
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


@dataclass(frozen=True)
class Asked:
    """A language model that was asked once."""

    calls: Sequence[LmCall]

    def ask(self, steps: Sequence[Step], hop: int) -> Sequence[LmAnswer]:
        raise AssertionError("the ranking asks no language model")


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


def test_an_order_of_a_language_model_counts_as_much_and_a_failed_one_does_not() -> None:
    answered = Context(BARE.index, lm=Asked([LmCall("document_reranker", 1)]))
    read = [c.passage_id for c in Reread(WORDS, READING).finish(SELECTED, BARE).choices]
    both = [c.passage_id for c in Reread(WORDS, READING).finish(SELECTED, answered).choices]
    # Tea is first by the model and last by the ranking; the ship is liked by both.
    assert ("Tea#0" in read, "Tea#0" in both) == (False, True)
    assert "Fram (ship)#0" in both
    asked = Context(BARE.index, lm=Asked([LmCall("claim_decomposition", 1)]))
    assert Reread(WORDS, READING).finish(SELECTED, asked) == Reread(WORDS, READING).finish(SELECTED, BARE)
    failed = Context(BARE.index, lm=Asked([LmCall("document_reranker", 1, problem="no answer")]))
    assert Reread(WORDS, READING).finish(SELECTED, failed) == Reread(WORDS, READING).finish(SELECTED, BARE)


def test_only_replacements_that_still_hold_are_told() -> None:
    swaps = (Replacement("Salt#0", "Fram (ship)#0", "named"), Replacement("Roald Amundsen#0", "Tea#0", "words"))
    before = Selection(BY_WORDS.choices, swaps, BY_WORDS.bench)
    assert Reread(WORDS, READING).finish(replace(ASKED, selection=before), BARE).replaced == swaps[:1]
