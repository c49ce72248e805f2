"""Dense search: nearest passages, and what happens without vectors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from multihop.errors import EmbeddingError
from multihop.parts.searchers import DenseSearcher
from multihop.parts.searchers.dense import ABSENT
from multihop.testing.contracts import HashEmbedder, StoreFactory, fill
from multihop.types import Document, Query

from ..making import context_of

if TYPE_CHECKING:
    from multihop.protocols import Vectors

DOCUMENTS = (Document("a", "red apple"), Document("b", "green apple"), Document("c", "blue sea"))
QUERY = Query("red apple", "asked", 2)


@dataclass(frozen=True)
class Failing(HashEmbedder):
    """Embeds passages, and fails at questions."""

    def embed(self, texts: Iterable[str], *, query: bool = False) -> Vectors:
        if query:
            raise EmbeddingError("the endpoint is down")
        return super().embed(texts)


@dataclass(frozen=True)
class Short(HashEmbedder):
    """Embeds passages, and returns for questions half of each vector."""

    def embed(self, texts: Iterable[str], *, query: bool = False) -> Vectors:
        return super().embed(texts)[:, : self.dimension // 2 if query else None]


@dataclass(frozen=True)
class Crashing(HashEmbedder):
    """Embeds passages, and crashes at questions."""

    def embed(self, texts: Iterable[str], *, query: bool = False) -> Vectors:
        if query:
            raise ZeroDivisionError("division by zero")
        return super().embed(texts)


def test_the_nearest_come_first(store_factory: StoreFactory) -> None:
    context = context_of(fill(store_factory(HashEmbedder()), *DOCUMENTS))
    [hits] = DenseSearcher().search([QUERY], context)
    assert [h.passage_id for h in hits] == ["a#0", "b#0"]
    assert hits[0].score == pytest.approx(1.0, abs=1e-3)


def test_each_query_keeps_to_its_own_limit(store_factory: StoreFactory) -> None:
    context = context_of(fill(store_factory(HashEmbedder()), *DOCUMENTS))
    answers = DenseSearcher().search([QUERY, Query("blue sea", "asked", 1)], context)
    assert [[h.passage_id for h in hits] for hits in answers] == [["a#0", "b#0"], ["c#0"]]


def test_without_an_embedder_it_is_absent_unless_it_is_required(store_factory: StoreFactory) -> None:
    context = context_of(fill(store_factory(), *DOCUMENTS))
    assert DenseSearcher().search([QUERY], context) == [()]
    assert context.notes == [ABSENT]
    with pytest.raises(EmbeddingError, match="opened without an embedder"):
        DenseSearcher(required=True).search([QUERY], context)


def test_an_embedder_that_fails_is_noted_or_raised(store_factory: StoreFactory) -> None:
    context = context_of(fill(store_factory(Failing()), *DOCUMENTS))
    assert DenseSearcher().search([QUERY], context) == [()]
    assert [(n.code, n.data) for n in context.notes] == [("embedder-failed", {"problem": "the endpoint is down"})]
    with pytest.raises(EmbeddingError, match="the endpoint is down"):
        DenseSearcher(required=True).search([QUERY], context)


@pytest.mark.parametrize(
    ("embedder", "problem"),
    [
        (Short(), "the embedder 'hash:32' returned an array of shape (1, 16); expected (1, 32)"),
        (Crashing(), "the embedder 'hash:32' failed: ZeroDivisionError: division by zero"),
    ],
)
def test_an_embedder_that_answers_wrongly_has_failed(
    store_factory: StoreFactory, embedder: HashEmbedder, problem: str
) -> None:
    context = context_of(fill(store_factory(embedder), *DOCUMENTS))
    assert DenseSearcher().search([QUERY], context) == [()]
    assert [n.data for n in context.notes] == [{"problem": problem}]
    with pytest.raises(EmbeddingError, match=re.escape(problem)):
        DenseSearcher(required=True).search([QUERY], context)
