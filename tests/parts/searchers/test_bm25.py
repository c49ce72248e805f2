"""Lexical search: what each query finds, and what a part of a question shows beside it."""

from __future__ import annotations

from multihop import Engine
from multihop.parts.searchers import Bm25Searcher
from multihop.protocols import Context
from multihop.types import Query


def test_the_words_of_a_query_find_their_passage_best_first(sample: Engine) -> None:
    [hits] = Bm25Searcher().search([Query("Fram ship", "asked", 5)], Context(sample.index()))
    assert hits[0].passage_id == "fram-ship#0"
    assert [h.channel for h in hits] == ["bm25"] * 5
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_a_part_of_the_question_is_also_scored_beside_its_best(sample: Engine) -> None:
    part = Query("sailed to the South Pole", "a clause", 4, part=True)
    [hits] = Bm25Searcher().search([part], Context(sample.index()))
    lexical, parts = ([h for h in hits if h.channel == channel] for channel in ("bm25", "part"))
    assert [h.passage_id for h in parts] == [h.passage_id for h in lexical]
    assert [h.score for h in parts] == [h.score / lexical[0].score for h in lexical]
    assert {h.via for h in parts} == {part.text}
