"""Static token vectors that ship inside the `wordllama` wheel: no model hub, no network, no GPU.

A text is the mean of its tokens' vectors. The first 64 or 128 numbers of a vector are a smaller vector of nearly the
same use (Matryoshka representation learning, Kusupati et al. 2022), which is what `dimension` chooses.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop.errors import EmbeddingError, InvalidInput, needs_extra
from multihop.index.embedders.unit_rows import unit_rows
from multihop.protocols import Vectors

CONFIG = "l2_supercat"
DIMENSIONS = (64, 128, 256)
_BATCH = 256
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class WordLlamaEmbedder:
    """Embed with the vectors inside the installed `wordllama` package; `dimension` is 64, 128 or 256."""

    dimension: int = 256

    def __post_init__(self) -> None:
        if self.dimension not in DIMENSIONS:
            allowed = ", ".join(map(str, DIMENSIONS))
            raise InvalidInput(f"The wordllama embedder has no dimension {self.dimension!r}; allowed: {allowed}.")

    @property
    def identity(self) -> str:
        return f"wordllama:{CONFIG}:{self.dimension}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # both sides are alike
        return unit_rows(texts, self.dimension, "The wordllama embedder", self._sums)

    def _sums(self, texts: list[str]) -> NDArray[np.float32]:
        with _loading:
            tokenizer, table = _load()
        table = table[:, : self.dimension]
        sums = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            encoded = tokenizer.encode_batch(texts[start : start + _BATCH], add_special_tokens=False)
            for row, encoding in enumerate(encoded, start):
                sums[row] = _sum_of_tokens(encoding.ids, table)
        return sums


def _sum_of_tokens(ids: list[int], table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sum the vectors of the tokens, which has the direction of their mean. Memory is bounded by the vocabulary."""
    tokens, counts = np.unique(np.minimum(np.array(ids, dtype=np.int64), len(table) - 1), return_counts=True)
    total: NDArray[np.float32] = counts.astype(np.float32) @ table[tokens]
    return total


@functools.lru_cache(maxsize=1)
def _load() -> tuple[Any, NDArray[np.float32]]:
    """Load tokenizer and vectors. We pool them ourselves: the library pads each batch to its longest text."""
    with needs_extra("The wordllama embedder", "wordllama"), _root_logger_kept():
        import wordllama
    package = Path(wordllama.__file__).parent
    try:
        # The library looks for its tokenizer in "tokenizer/" of the package, but ships it in "tokenizers/";
        # named as the cache, the package folder is searched under the right name.
        model = wordllama.WordLlama.load(CONFIG, cache_dir=package, dim=DIMENSIONS[-1], disable_download=True)
    except FileNotFoundError as error:
        raise EmbeddingError(
            f"The wordllama package in {package} is missing its weights or its tokenizer ({error}). "
            "Reinstall it with: pip install --force-reinstall wordllama"
        ) from error
    model.tokenizer.no_padding()
    return model.tokenizer, model.embedding


@contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Keep wordllama from configuring the root logger on import."""
    # logging.basicConfig does nothing where the root logger already has a handler.
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
