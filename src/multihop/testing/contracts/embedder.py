"""What every embedder must do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from multihop.protocols import Embedder

TEXTS = (
    "Lyon is a city in France.",
    "The Rhône flows on. " * 30,
    "東京は日本の首都です。",
    "a NUL \x00, half a pair \ud83d",
    "x",
)


class EmbedderContract:
    """What every embedder must do; supply a fixture `embedder`."""

    @pytest.mark.parametrize("query", [False, True])
    def test_rows_are_unit_vectors(self, embedder: Embedder, query: bool) -> None:
        assert isinstance(embedder, Embedder)
        rows = embedder.embed(TEXTS, query=query)
        # The index hands the rows to native code, which reads them as one block.
        assert rows.flags.c_contiguous
        assert rows.shape == (len(TEXTS), embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    @pytest.mark.parametrize("query", [False, True])
    def test_no_texts_give_no_rows_and_blank_ones_rows_of_zeros(self, embedder: Embedder, query: bool) -> None:
        assert embedder.embed([], query=query).shape == (0, embedder.dimension)
        # Zeros are near to nothing; any other vector would make a blank passage a neighbor of something.
        rows = embedder.embed(["", "Lyon", " \n\t"], query=query)
        assert [bool(row.any()) for row in rows] == [False, True, False]

    @pytest.mark.parametrize("query", [False, True])
    def test_a_row_depends_on_its_own_text_only(self, embedder: Embedder, query: bool) -> None:
        # Padding of a batch must not leak into the rows, or an index would depend on how it was filled.
        together = embedder.embed(TEXTS, query=query)
        alone = np.concatenate([embedder.embed([text], query=query) for text in TEXTS])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(embedder.embed(TEXTS[::-1], query=query)[::-1], together, atol=1e-5)

    def test_identity_names_kind_and_model(self, embedder: Embedder) -> None:
        # The index records it and opens itself with the same embedder by it.
        kind, colon, model = embedder.identity.partition(":")
        assert kind and colon and model

    def test_several_threads_may_embed(self, embedder: Embedder) -> None:
        # The server answers from a pool of threads with one embedder.
        expected = embedder.embed(TEXTS)
        with ThreadPoolExecutor(4) as pool:
            for rows in pool.map(lambda _: embedder.embed(TEXTS), range(8)):
                np.testing.assert_allclose(rows, expected, atol=1e-5)
