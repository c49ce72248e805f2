"""Opening an index for a command, with the embedder it was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multihop.cli.screen import warn
from multihop.errors import EmbeddingError, IndexNotFound, InvalidInput, MissingExtra
from multihop.index.locations import Location

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.lm import Model


def open_index(path: Location, *, wait: float = 0.0) -> Engine:
    """Open an index without vectors: enough to look at it and to delete from it."""
    from multihop.engine import Engine

    return Engine.open(path, wait=wait)


def open_to_add(path: Location, spec: str | None, wait: float, distribute: bool = False) -> Engine:
    """Open an index to add to it, or make it. Raises when its embedder cannot be had: passages would lack vectors."""
    from multihop.engine import Engine
    from multihop.index.embedders import open_embedder

    wanted = spec or _recorded(path)
    embedder = open_embedder(wanted) if wanted else None
    return Engine.open(path, create=True, embedder=embedder, wait=wait, distribute=distribute)


def open_with_vectors(path: Location, spec: str | None, lm: Model | None = None) -> Engine:
    """Open an index with its embedder; when that cannot be had, say so and go on without vectors."""
    from multihop.engine import Engine
    from multihop.index.embedders import open_embedder

    wanted = spec or _recorded(path)
    if wanted is None:
        return Engine.open(path, lm=lm)
    try:
        return Engine.open(path, embedder=open_embedder(wanted), lm=lm)
    except (MissingExtra, InvalidInput, EmbeddingError) as error:
        if spec:
            raise
        warn(f"opened without its embedder: {error}")
        return Engine.open(path, lm=lm)


def _recorded(path: Location) -> str | None:
    """Name the embedder an index was made with; None when it has none, or is not there yet."""
    try:
        with open_index(path) as engine:
            return engine.recorded_embedder
    except IndexNotFound:
        return None
