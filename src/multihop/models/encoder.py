"""The encoder: embeds a question near its evidence, and a question with a passage near the next passage.

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
    """Load the built-in encoder; None without onnxruntime."""
    model = load("encoder")
    return None if model is None else Encoder(model)


class Encoder:
    """Embeds texts as unit vectors."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # One at a time, since 8-bit quantization scales by batch, and a vector must not depend on others.
        outputs = self._model.run(({"input_ids": np.array([row(text)], np.int64)} for text in texts), "output")
        return np.array([vector for ([vector],) in outputs], np.float32).reshape(len(outputs), DIMENSION)


def follow_up_query(question: str, passage: str) -> str:
    """Return the query for the passage after this one: the question and the beginning of the passage."""
    return f"{question} {passage[:_FOLLOWED]}"


def row(text: str) -> list[int]:
    """Return the input tokens of a text."""
    return [START, *tokens(text, LONGEST), END]
