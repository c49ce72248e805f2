"""Given passages as a view: what is not in the index can be scored like what is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from multihop.errors import InvalidInput
from multihop.parts.searchers.bare import BareView
from multihop.protocols import Embedder, Lookup, Scored, View
from multihop.types import Passage

if TYPE_CHECKING:
    from multihop.protocols import Vectors

T = TypeVar("T")


class ChunkView(BareView):
    """Some passages, with the models of an index: its embedder and what it keeps. It knows no names or links."""

    def __init__(self, index: View, passages: Sequence[Passage]) -> None:
        self._index = index
        self._passages = {p.id: p for p in passages}
        self._memory: dict[str, object] = {}
        if len(self._passages) < len(passages):
            raise InvalidInput("two of the chunks have the same id; give every chunk its own")

    @property
    def generation(self) -> int:
        return self._index.generation

    @property
    def size(self) -> int:
        return len(self._passages)

    @property
    def embedder(self) -> Embedder | None:
        return self._index.embedder

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        return {id: self._passages[id] for id in ids if id in self._passages}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        return {}

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        return [[] for _ in lookups]

    def scan(self) -> Iterator[Passage]:
        return iter(self._passages.values())

    def vectors(self, passages: Sequence[str]) -> Vectors:
        if self.embedder is None:
            return np.zeros((len(passages), 0), dtype=np.float32)
        found = self.passages(passages)
        texts = [". ".join(t for t in (p.title, p.heading, p.text) if t) for p in found.values()]
        rows = np.zeros((len(passages), self.embedder.dimension), dtype=np.float32)
        known = [place for place, id in enumerate(passages) if id in found]
        if known:
            embedded = dict(zip(found, self.embedder.embed(texts), strict=True))
            rows[known] = [embedded[passages[place]] for place in known]
        return rows

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return self._index.get_blob(name)

    def cached(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        if shared:
            return self._index.cached(name, make, shared=True)
        if name not in self._memory:
            self._memory[name] = make()
        return self._memory[name]  # type: ignore[return-value]  # what was made under this name
