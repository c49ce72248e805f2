"""The model that scores sentences and spans: boosted trees and a calibration, fitted by `training/answers.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop.models import BoostedTrees


@dataclass(frozen=True, eq=False)
class AnswerModel:
    """Trees over sentences and over spans, what makes a probability of the first, and when to say nothing."""

    sentences: BoostedTrees
    spans: BoostedTrees
    slope: float
    offset: float
    threshold: float
    """Below this confidence of the best sentence there is no answer."""

    @classmethod
    def of(cls, stored: Mapping[str, NDArray[Any]]) -> AnswerModel:
        """Read it from arrays by name, as `training/answers.py` writes them."""
        slope, offset, threshold = stored["calibration"].tolist()
        sentences, spans = BoostedTrees.of(stored, "sentences "), BoostedTrees.of(stored, "spans ")
        return cls(sentences, spans, slope, offset, threshold)

    def confidence(self, odds: float) -> float:
        """Turn the log-odds of the trees into how often such a sentence holds the answer."""
        # Cut off where the exponential could overflow; by then it is 0 or 1 in print.
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, self.slope * odds + self.offset))))


@cache
def answer_model() -> AnswerModel:
    """Load the model that comes with the package."""
    with resources.files(__package__).joinpath("data", "answers.npz").open("rb") as file, np.load(file) as stored:
        return AnswerModel.of(stored)
