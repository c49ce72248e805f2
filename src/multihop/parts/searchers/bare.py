"""A view of passages that lie outside an index: it knows no names, links, relations or vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from multihop.protocols import Scored, View
from multihop.types import Link, Mention, Passage, Relation

if TYPE_CHECKING:
    from multihop.protocols import Vectors


class BareView(View):
    """Answers what only an index could know with nothing; the views built on it say which passages there are."""

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        return [[] for _ in vectors]

    def named(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        return [() for _ in texts]

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        return []

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        return []

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        return []

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        return []

    def relation_counts(self) -> dict[str, int]:
        return {}

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        return iter(())

    def scan(self) -> Iterator[Passage]:
        return iter(())

    def vectors(self, passages: Sequence[str]) -> Vectors:
        import numpy as np

        return np.zeros((len(passages), 0), dtype=np.float32)

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return None
