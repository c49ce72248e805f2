"""One index, one embedder: its identity is recorded with the first vectors and must match from then on."""

from __future__ import annotations

from collections.abc import Callable

from multihop.errors import EmbedderMismatch
from multihop.protocols import Embedder, dimension_of

LoadEmbedder = Callable[[str], Embedder | None]
"""Loads an embedder by the identity that an index has recorded; None leaves the vectors unused."""


def agreed_embedder(
    index: str,
    embedder: Embedder | None,
    recorded: str | None,
    record: Callable[[str], bool],
    load: LoadEmbedder | None = None,
) -> Embedder | None:
    """Return the embedder to use with an index; raise EmbedderMismatch when its vectors were made by another one.

    `record` is called to write the identity of the first embedder down; it returns False where that is too late
    because the index has passages without vectors, or was not opened to be created. Where no embedder is given, `load`
    is called for the recorded one.
    """
    if embedder is None and recorded is not None and load is not None:
        embedder = load(recorded)
    if embedder is None or recorded == embedder.identity:
        return embedder
    if recorded is not None:
        raise EmbedderMismatch(
            f"{index} holds vectors of {recorded!r}, not of {embedder.identity!r}; "
            f"open it with {recorded!r}, or index the corpus again"
        )
    dimension_of(embedder)  # refused before it is written down
    if not record(embedder.identity):
        raise EmbedderMismatch(
            f"{index} was built without an embedder and has no vectors; "
            f"open it without one, or index the corpus into a new index with {embedder.identity!r}"
        )
    return embedder


def require_embedder(index: str, embedder: Embedder | None, recorded: str | None) -> None:
    """Raise EmbedderMismatch where documents would be added without the vectors that the others have."""
    if recorded is not None and embedder is None:
        raise EmbedderMismatch(f"{index} holds vectors of {recorded!r}; open it with that embedder to add documents")
