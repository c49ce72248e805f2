"""The encoder that comes with the package: trained for multi-hop questions, no download, no further extra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multihop.errors import EmbeddingError
from multihop.index.embedders.unit_rows import unit_rows
from multihop.models import NOT_INSTALLED
from multihop.models.encoder import DIMENSION, encoder, follow_up_query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from multihop.protocols import Vectors

VERSION = "1"
"""Changes with the weights: vectors of different ones cannot be compared."""


@dataclass(frozen=True, slots=True)
class EncoderEmbedder:
    """Embed with the encoder inside the package."""

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def identity(self) -> str:
        return f"encoder:{VERSION}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # both sides are alike
        return unit_rows(texts, DIMENSION, "The encoder", self._vectors)

    def follow(self, question: str, passages: Sequence[str]) -> Vectors:
        return self.embed([follow_up_query(question, passage) for passage in passages], query=True)

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        model = encoder()
        if model is None:
            raise EmbeddingError(f"The encoder cannot embed: {NOT_INSTALLED}")
        return model.vectors(texts)
