"""Checks and normalization shared by all embedders: one float32 unit row per text, zeros for a blank text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multihop.errors import EmbeddingError, InvalidInput
from multihop.protocols import Vectors


def unit_rows(texts: Sequence[str], dimension: int, name: str, compute: Callable[[list[str]], ArrayLike]) -> Vectors:
    """Return a unit row for each text; `compute` gets the texts that are not blank, and is not called without any.

    Blank texts never reach the model: some models answer them with noise, and some endpoints with an error.
    """
    cleaned = _clean(texts)
    rows = np.zeros((len(cleaned), dimension), dtype=np.float32)
    filled = [place for place, text in enumerate(cleaned) if text.strip()]
    if filled:
        raw = as_matrix(compute([cleaned[place] for place in filled]), len(filled), name)
        if raw.shape[1] != dimension:
            raise EmbeddingError(f"{name} gave vectors of {raw.shape[1]} numbers where {dimension} were expected.")
        rows[filled] = _normalize(raw)
    return rows


def as_matrix(raw: ArrayLike, count: int, name: str) -> NDArray[np.float64]:
    """Check that a model's answer is `count` rows of finite numbers."""
    try:
        rows = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbeddingError(f"{name} gave vectors of unequal length, or a value that is not a number.") from error
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
        raise EmbeddingError(f"{name} gave an array of shape {rows.shape} for {count} texts; expected ({count}, n).")
    if not np.isfinite(rows).all():
        raise EmbeddingError(f"{name} gave a vector that holds NaN or infinity.")
    return rows


def _clean(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise InvalidInput(f"embed() takes a sequence of texts, not one text. Pass [{texts[:40]!r}].")
    cleaned = list(texts)
    for text in cleaned:
        if not isinstance(text, str):
            raise InvalidInput(f"embed() takes texts, and one of them is a {type(text).__name__}: {str(text)[:40]}")
    # Half of a surrogate pair cannot be encoded, and tokenizers refuse it.
    return [text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8") for text in cleaned]


def _normalize(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    # Dividing by the largest number first keeps the squares of huge and tiny vectors within range.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled: NDArray[np.float64] = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    np.divide(scaled, length, out=scaled, where=length > 0)
    return scaled
