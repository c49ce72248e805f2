"""The ranker: a small cross-encoder that reads a question beside a passage and the sentence that leads to it.

A BERT of few layers (Wang et al. 2020), trained by `training/ranker.py` and stored as ONNX with 8-bit weights. It needs
onnxruntime; where that is missing, `ranker` says so and the engine does without.
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

QUESTION, PASSAGE, LINK = 64, 88, 52
"""How many tokens of each part are read."""

Row = tuple[Sequence[int], int]


@cache
def ranker() -> Ranker | None:
    """Load the ranker that comes with the package; None without onnxruntime."""
    model = load("ranker")
    return None if model is None else Ranker(model)


class Ranker:
    """Says how much speaks for a passage, read beside the question and the sentence that leads to it."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def score(self, question: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return a logit for each pair of passage and linking sentence; larger is better."""
        written = rows(question, pairs)
        # The longest first, so that all processors end at about the same time.
        order = sorted(range(len(written)), key=lambda place: -len(written[place][0]))
        # One at a time: rounding to 8 bits looks at a whole batch, and a score should not depend on its company.
        found = self._model.run((inputs(written[place]) for place in order), "output")
        logits = np.empty(len(written), np.float32)
        logits[order] = [logit for ([logit],) in found]
        return logits


def rows(question: str, pairs: Sequence[tuple[str, str]]) -> list[Row]:
    """Write each pair as the tokens that the model reads, with the place where the passage begins."""
    asked = [START, *tokens(question, QUESTION), END]
    found: list[Row] = []
    for passage, link in pairs:
        row = [*asked, *tokens(passage, PASSAGE), END]
        found.append(([*row, *tokens(link, LINK), END] if link else row, len(asked)))
    return found


def inputs(row: Row) -> dict[str, NDArray[np.int64]]:
    """Return a row as the arrays that the model takes."""
    tokens, passage = row
    types = np.arange(len(tokens)) >= passage
    return {"input_ids": np.array([tokens], np.int64), "token_type_ids": types[None].astype(np.int64)}
