"""The ranker: a small cross-encoder of a question, a passage, and the sentence that links to it.

A BERT of few layers (Wang et al. 2020), trained by `training/ranker.py` and stored as ONNX with 8-bit weights. It needs
onnxruntime; without it, `ranker` returns None.
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

QUESTION, PASSAGE, LINK = 64, 140, 52
"""Maximum tokens of each part."""

Row = tuple[Sequence[int], int]


@cache
def ranker() -> Ranker | None:
    """Load the built-in ranker; None without onnxruntime."""
    model = load("ranker")
    return None if model is None else Ranker(model)


class Ranker:
    """Scores passages, each with the sentence that links to it, for a question."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def score(self, question: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return a logit for each pair of passage and linking sentence; larger is better."""
        written = rows(question, pairs)
        # Longest first, so that all cores finish at about the same time.
        order = sorted(range(len(written)), key=lambda place: -len(written[place][0]))
        # One at a time, since 8-bit quantization scales by batch, and a score must not depend on others.
        outputs = self._model.run((inputs(written[place]) for place in order), "output")
        logits = np.empty(len(written), np.float32)
        logits[order] = [logit for ([logit],) in outputs]
        return logits


def rows(question: str, pairs: Sequence[tuple[str, str]]) -> list[Row]:
    """Return the input tokens of each pair, and the index at which the passage begins."""
    asked = [START, *tokens(question, QUESTION), END]
    written: list[Row] = []
    for passage, link in pairs:
        row = [*asked, *tokens(passage, PASSAGE), END]
        written.append(([*row, *tokens(link, LINK), END] if link else row, len(asked)))
    return written


def inputs(row: Row) -> dict[str, NDArray[np.int64]]:
    """Return a row as the input arrays of the model."""
    tokens, passage = row
    types = np.arange(len(tokens)) >= passage
    return {"input_ids": np.array([tokens], np.int64), "token_type_ids": types[None].astype(np.int64)}
