"""A foreign retriever as the search of the loop."""

from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.parts.searchers.retriever import Retrieved, RetrieverSearcher
from multihop.protocols import Context
from multihop.types import Query


def test_what_a_retriever_gives_in_any_form_becomes_passages_with_scores() -> None:
    given = ["A bare text.", {"id": "x", "content": "With a score.", "score": 9.0}, {"text": "Without.", "title": "T"}]
    retrieved = Retrieved(lambda query, k: given)
    [hits] = RetrieverSearcher().search([Query("anything", "asked", 3)], Context(retrieved.index()))
    assert [(h.channel, h.score) for h in hits] == [("retriever", 9.0), ("retriever", 1.0), ("retriever", 1 / 3)]
    texts = [retrieved.passages([h.passage_id])[h.passage_id].text for h in hits]
    assert texts == ["With a score.", "A bare text.", "Without."]


def test_the_same_document_comes_in_once() -> None:
    retrieved = Retrieved(lambda query, k: ["Same.", "Same."])
    answers = RetrieverSearcher().search([Query(q, "asked", 5) for q in ("a", "b")], Context(retrieved.index()))
    assert [len(hits) for hits in answers] == [1, 1]
    assert retrieved.size == 1


def test_a_retriever_is_told_the_limit_and_may_find_nothing() -> None:
    asked: list[tuple[str, int]] = []
    retrieved = Retrieved(lambda query, k: asked.append((query, k)))
    assert RetrieverSearcher().search([Query("who", "asked", 7)], Context(retrieved.index())) == [()]
    assert asked == [("who", 7)]


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a retriever gives documents with a `content`; got 7"):
        RetrieverSearcher().search([Query("who", "asked", 7)], Context(Retrieved(lambda query, k: [7]).index()))
