"""What every embedder must do, as one function that any of them can be passed to."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from multihop.errors import InvalidInput
from multihop.protocols import Embedder

TEXTS = (
    "Lyon is a city in France.",
    "The Rhône flows through Lyon, and on to the sea. " * 12,
    "Ein kurzer Satz.",
    "東京は日本の首都です。",
    "half of a pair \ud83d and a NUL \x00",
    "x",
)


def check_embedder(embedder: Embedder) -> None:
    """Check shape, type, length, blank texts, independence of the batch, and use from several threads."""
    assert isinstance(embedder, Embedder)
    assert ":" in embedder.identity
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimension)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    _check_blank(embedder)
    _check_batch_does_not_matter(embedder)
    _check_value(embedder)
    _check_threads(embedder)
    with pytest.raises(InvalidInput, match="sequence of texts"):
        embedder.embed("one text")
    with pytest.raises(InvalidInput, match="int"):
        embedder.embed([3])  # type: ignore[list-item]  # what a caller without types may pass


def _check_blank(embedder: Embedder) -> None:
    for query in (False, True):
        assert embedder.embed([], query=query).shape == (0, embedder.dimension)
        rows = embedder.embed(["", "Lyon", " \n\t"], query=query)
        assert not rows[0].any()
        assert not rows[2].any()
        assert rows[1].any()


def _check_batch_does_not_matter(embedder: Embedder) -> None:
    for query in (False, True):
        together = embedder.embed(TEXTS, query=query)
        alone = np.concatenate([embedder.embed([text], query=query) for text in TEXTS])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(embedder.embed(TEXTS[::-1], query=query)[::-1], together, atol=1e-5)


def _check_value(embedder: Embedder) -> None:
    for twin in (copy.deepcopy(embedder), pickle.loads(pickle.dumps(embedder))):
        assert twin == embedder
        assert hash(twin) == hash(embedder)
        assert twin.identity == embedder.identity


def _check_threads(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: embedder.embed(TEXTS), range(8)):
            np.testing.assert_allclose(rows, expected, atol=1e-5)
