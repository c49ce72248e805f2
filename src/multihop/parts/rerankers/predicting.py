"""Any model with `predict(pairs)`, such as a CrossEncoder of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multihop.errors import InvalidInput
from multihop.parts.rerankers.asking import join_pair
from multihop.types import Pair


@dataclass(frozen=True)
class PredictingReranker:
    """Reads with a model that takes (question, text) pairs and gives one number for each; larger is better.

    `identity` is what traces call it, and what two of them are compared by. Say `calibrated=True` only where the
    numbers are probabilities.
    """

    model: Any = field(repr=False, compare=False)
    identity: str
    calibrated: bool = False

    def __post_init__(self) -> None:
        if not callable(getattr(self.model, "predict", None)):
            raise InvalidInput(f"the model has no method predict(pairs): {self.model!r:.80}")

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        if not pairs:
            return []
        scores: list[float] = np.ravel(self.model.predict([(question, join_pair(pair)) for pair in pairs])).tolist()
        return scores
