"""Passages from elsewhere as an index, so that they can be scored like those of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from multihop import text
from multihop.errors import InvalidInput
from multihop.protocols import Embedder, Index, Scored, Vectors, View, embed_texts
from multihop.types import Passage

T = TypeVar("T")


def chunk_index(view: View, passages: Sequence[Passage]) -> Index:
    """Offer some passages with the models of an index: its embedder and its blobs, but no words, names or links."""
    chunks = _Chunks(passages)
    dense = _Embedded(chunks, view.embedder) if view.embedder is not None else None
    return Index(chunks, dense=dense, embedder=view.embedder, cache=_Cache(view), generation=view.generation)


class _Chunks:
    """The passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = {p.id: p for p in passages}
        if len(self._passages) < len(passages):
            raise InvalidInput("two of the chunks have the same id; give every chunk its own")

    @property
    def size(self) -> int:
        return len(self._passages)

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        return {id: self._passages[id] for id in ids if id in self._passages}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        # Links and names are not offered, so no part follows a document to its passages.
        return {}

    def scan(self) -> Iterator[Passage]:
        return iter(self._passages.values())


class _Embedded:
    """Vectors of the passages, made when they are asked for."""

    def __init__(self, chunks: _Chunks, embedder: Embedder) -> None:
        self._chunks = chunks
        self._embedder = embedder

    def vectors(self, passages: Sequence[str]) -> Vectors:
        chunks = self._chunks.passages(passages)
        rows = np.zeros((len(passages), self._embedder.dimension), dtype=np.float32)
        known = [place for place, id in enumerate(passages) if id in chunks]
        if known:
            texts = [text.to_embed(p.title, p.heading, p.text) for p in chunks.values()]
            embedded = dict(zip(chunks, embed_texts(self._embedder, texts), strict=True))
            rows[known] = [embedded[passages[place]] for place in known]
        return rows

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        ids = [p.id for p in self._chunks.scan()] if within is None else list(self._chunks.passages(within))
        # Given passages are few: comparing all of them needs no index.
        cosines = vectors @ self.vectors(ids).T
        ranked = [sorted(zip(ids, row.tolist(), strict=True), key=lambda s: (-s[1], s[0])) for row in cosines]
        return [scored[:limit] for scored in ranked]


class _Cache:
    """What is computed from the passages lasts as long as they do; what is stored in the index is shared with it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._made: dict[str, object] = {}

    def get_or_make(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        if shared:
            return self._view.get_or_make(name, make, shared=True)
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]  # type: ignore[return-value]  # what was made under this name

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return self._view.get_blob(name)
