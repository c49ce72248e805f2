"""Asking an embedder: whatever it answers is checked before anything is stored or compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral

from multihop.errors import EmbeddingError, InvalidInput, MultihopError, cause
from multihop.protocols.index import Embedder, FollowingEmbedder, Vectors

_LARGEST = 65504
"""Vectors are stored in half precision, which has no larger number."""


def embed_texts(embedder: Embedder, texts: Sequence[str], *, query: bool = False) -> Vectors:
    """Embed texts; raise EmbeddingError unless the embedder returns a row of finite numbers for each."""
    return _checked(embedder, len(texts), lambda: embedder.embed(texts, query=query))


def follow_passages(embedder: FollowingEmbedder, question: str, passages: Sequence[str]) -> Vectors:
    """Embed a question together with each passage; raise EmbeddingError as `embed_texts` does."""
    return _checked(embedder, len(passages), lambda: embedder.follow(question, passages))


def dimension_of(embedder: Embedder) -> int:
    """Return how long the vectors of an embedder are; raise InvalidInput unless that is a number from 1 up."""
    dimension = embedder.dimension
    if not isinstance(dimension, Integral) or isinstance(dimension, bool) or dimension < 1:
        raise InvalidInput(
            f"the embedder {embedder.identity!r} has the dimension {dimension!r}; it must be a whole number from 1 up"
        )
    return int(dimension)


def _checked(embedder: Embedder, count: int, compute: Callable[[], object]) -> Vectors:
    # Imported here: loading numpy takes longer than all that `import multihop` needs.
    import numpy as np

    name, expected = f"the embedder {embedder.identity!r}", (count, dimension_of(embedder))
    if not count:
        return np.zeros(expected, dtype=np.float32)
    try:
        rows = compute()
    except MultihopError:
        raise
    except Exception as error:
        raise EmbeddingError(f"{name} failed: {type(error).__name__}: {cause(error)}") from error
    if not isinstance(rows, np.ndarray):
        raise EmbeddingError(
            f"{name} returned an object of type {type(rows).__name__}; expected an array of shape {expected}"
        )
    if rows.shape != expected:
        raise EmbeddingError(f"{name} returned an array of shape {rows.shape}; expected {expected}")
    if rows.dtype.kind not in "fiu":
        raise EmbeddingError(f"{name} returned an array of {rows.dtype}; expected float32")
    if not np.isfinite(rows).all():
        raise EmbeddingError(f"{name} returned numbers that are not finite")
    if (np.abs(rows) > _LARGEST).any():
        raise EmbeddingError(f"{name} returned numbers above {_LARGEST}; expected rows of length one")
    return rows.astype(np.float32, copy=False)
