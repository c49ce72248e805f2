"""Given passages as an index: what it offers, and what it leaves to the index whose models it borrows."""

from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.parts.searchers.chunks import chunk_index
from multihop.testing.contracts import HashEmbedder, StoreFactory, fill
from multihop.types import Document, Passage

RED, SEA = Passage("x", "x", 0, "", "red apple"), Passage("y", "y", 0, "", "blue sea")


def test_given_passages_are_embedded_when_they_are_asked_for(store_factory: StoreFactory) -> None:
    embedder = HashEmbedder()
    store = fill(store_factory(embedder), Document("a", "red apple"))
    index = chunk_index(store.view(), [RED, SEA])
    assert (index.passages.size, list(index.passages.scan())) == (2, [RED, SEA])
    # Those of the store are not among them, though its models are.
    assert index.passages.passages(["x", "a#0"]) == {"x": RED}
    assert index.dense is not None and index.lexical is None and index.links is None
    assert index.dense.vectors(["y", "a#0", "x"]).any(axis=1).tolist() == [True, False, True]
    [nearest] = index.dense.nearest(embedder.embed(["blue sea"]), 1)
    assert [id for id, _ in nearest] == ["y"]
    assert [id for id, _ in index.dense.nearest(embedder.embed(["blue sea"]), 5, ["x", "a#0"])[0]] == ["x"]


def test_what_is_computed_of_them_is_theirs_alone(store_factory: StoreFactory) -> None:
    view = fill(store_factory(), Document("a", "red apple")).view()
    first, second = (chunk_index(view, [each]).cache for each in (RED, SEA))
    assert first is not None and second is not None
    assert (first.get_or_make("thing", lambda: 1), second.get_or_make("thing", lambda: 2)) == (1, 2)
    assert first.get_or_make("thing", lambda: 3) == 1
    assert (
        first.get_or_make("shared", lambda: 1, shared=True) == second.get_or_make("shared", lambda: 2, shared=True) == 1
    )
    assert chunk_index(view, [RED]).dense is None


def test_two_chunks_of_one_id_are_refused(store_factory: StoreFactory) -> None:
    with pytest.raises(InvalidInput, match="two of the chunks have the same id"):
        chunk_index(store_factory().view(), [RED, RED])
