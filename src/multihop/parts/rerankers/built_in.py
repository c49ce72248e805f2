"""The ranker that comes with the package, as a value: it is loaded when it is first asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from multihop.errors import ReadingError
from multihop.models import NOT_INSTALLED, ranker
from multihop.types import Pair


@dataclass(frozen=True, slots=True)
class BuiltInReranker:
    """Reads with the small cross-encoder of the package; without onnxruntime it raises a `ReadingError`."""

    @property
    def identity(self) -> str:
        return "multihop:ranker"

    @property
    def calibrated(self) -> bool:
        return True

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        model = ranker()
        if model is None:
            raise ReadingError(NOT_INSTALLED)
        return [1 / (1 + math.exp(-logit)) for logit in model.score(question, pairs).tolist()]
