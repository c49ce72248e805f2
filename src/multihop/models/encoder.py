"""The encoder: a question lies near its evidence, and a question with a passage near the next one.

A BERT of three layers (Wang et al. 2020), trained by `training/encoder.py` as multi-hop dense retrieval is (Xiong et
al. 2021), and stored as ONNX with 8-bit weights. It needs onnxruntime.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from multihop.models.onnx import OnnxModel, load
from multihop.models.wordpiece import END, START, tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 126
DIMENSION = 384
_FOLLOWED = 300


@cache
def encoder() -> Encoder | None:
    """Load the encoder that comes with the package; None without onnxruntime."""
    model = load("encoder")
    return None if model is None else Encoder(model)


class Encoder:
    """Gives texts as unit vectors."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # One at a time: rounding to 8 bits looks at a whole batch, and a vector should not depend on its company.
        found = self._model.run(({"input_ids": np.array([row(text)], np.int64)} for text in texts), "output")
        return np.array([vector for ([vector],) in found], np.float32).reshape(len(found), DIMENSION)


def follow_up_query(question: str, passage: str) -> str:
    """Write the query for the passage that comes after one: the question, and what that passage says first."""
    return f"{question} {passage[:_FOLLOWED]}"


def row(text: str) -> list[int]:
    """Write a text as the tokens that the model reads."""
    return [START, *tokens(text, LONGEST), END]
