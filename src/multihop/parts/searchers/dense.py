"""Dense search: nearest passages by the cosine of their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.errors import EmbeddingError
from multihop.protocols import Context, Requirements, embed_texts
from multihop.types import Hit, Note, Query
from multihop.types.channels import DENSE
from multihop.types.notes import NO_EMBEDDER

ABSENT = Note(NO_EMBEDDER, {}, "no embedder: the dense channel is absent")
"""The note of every question to an index that is opened without vectors."""


@dataclass(frozen=True, slots=True)
class DenseSearcher:
    """Finds the passages nearest in meaning. Without an embedder it is absent, unless it is `required`."""

    required: bool = False

    @property
    def requirements(self) -> Requirements:
        return Requirements(vectors=self.required)

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        embedder, dense = context.index.embedder, context.index.dense
        if embedder is None or dense is None:
            if self.required:
                raise EmbeddingError(
                    "this strategy needs vectors, and the index was opened without an embedder; "
                    "index the corpus with one (--embedder wordllama), or choose another strategy"
                )
            context.note(ABSENT)
            return [() for _ in queries]
        if not queries:
            return [() for _ in queries]
        try:
            vectors = embed_texts(embedder, [q.text for q in queries], query=True)
        except EmbeddingError as error:
            if self.required:
                raise
            text = f"the embedder failed, the dense channel is absent: {error}"
            context.note(Note("embedder-failed", {"problem": str(error)}, text))
            return [() for _ in queries]
        # One call, as deep as the deepest query; the others take the beginning of its ranking.
        ranked = dense.nearest(vectors, max(q.limit for q in queries))
        return [
            tuple([Hit(id, s, DENSE) for id, s in scored[: q.limit]]) for q, scored in zip(queries, ranked, strict=True)
        ]
