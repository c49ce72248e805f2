"""The reader and the verifier: one small BERT over a question, or a claim, and a few short texts.

It predicts start and end of the answer (Devlin et al. 2019) or yes, no and "not answered", and classifies whether a
text supports a claim, contradicts it or does neither (Thorne et al. 2018). Twelve layers, trained by
`training/reader.py` from a larger teacher and stored as ONNX with 7-bit weights. It needs onnxruntime.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from multihop.models.onnx import OnnxModel, load
from multihop.models.wordpiece import END, START, placed_tokens, tokens
from multihop.types.reading import Judgement, Reading, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUESTION = 96
LONGEST = 384
"""Maximum tokens of the question or claim, and of the whole input."""
_LONGEST_ANSWER = 25
_SPANS = 8
_BLANK = Judgement(0.0, 0.0, 1.0)


@cache
def _model() -> OnnxModel | None:
    return load("reader")


def reader() -> BuiltInReader | None:
    """Load the built-in reader; None without onnxruntime."""
    model = _model()
    return None if model is None else BuiltInReader(model)


def verifier() -> BuiltInVerifier | None:
    """Load the built-in verifier; None without onnxruntime."""
    model = _model()
    return None if model is None else BuiltInVerifier(model)


@dataclass(frozen=True, slots=True)
class BuiltInReader:
    """Finds the answer to a question in a few texts, in one pass; long texts are truncated."""

    model: OnnxModel

    @property
    def identity(self) -> str:
        return "multihop:reader"

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        asked = tokens(question, QUESTION)
        placed = [placed_tokens(context, LONGEST) for context in contexts]
        lengths = _shares([len(each) for each in placed], LONGEST - len(asked) - 2)
        row, origin = [START, *asked, END], [(-1, 0, 0)] * (len(asked) + 2)
        for number, (each, length) in enumerate(zip(placed, lengths, strict=True)):
            row += [*(token for token, _, _ in each[:length]), END]
            origin += [*((number, start, end) for _, start, end in each[:length]), (-1, 0, 0)]
        if not any(number >= 0 for number, _, _ in origin):
            return Reading(none=1.0)
        [(span, kind)] = self.model.run([_inputs(row, len(asked) + 2)], "span", "kind")
        in_text, yes, no, none = _softmax(kind[0, 0]).tolist()
        spans = [Span(*place, probability=in_text * p) for p, place in _spans(span[0], origin)]
        return Reading(tuple(spans), yes, no, none)


@dataclass(frozen=True, slots=True)
class BuiltInVerifier:
    """Verifies a claim against each of several texts."""

    model: OnnxModel

    @property
    def identity(self) -> str:
        return "multihop:verifier"

    def verify(self, claim: str, evidence: Sequence[str]) -> Sequence[Judgement]:
        said = [START, *tokens(claim, QUESTION), END]
        rows = [tokens(text, LONGEST - len(said) - 1) for text in evidence]
        # The model was never trained on empty texts.
        outputs = iter(self.model.run([_inputs([*said, *row, END], len(said)) for row in rows if row], "verdict"))
        return [Judgement(*_softmax(next(outputs)[0][0, 0]).tolist()) if row else _BLANK for row in rows]


def _inputs(row: Sequence[int], second: int) -> dict[str, NDArray[np.int64]]:
    types = np.arange(len(row)) >= second
    return {"input_ids": np.array([row], np.int64), "token_type_ids": types[None].astype(np.int64)}


def _shares(lengths: Sequence[int], room: int) -> list[int]:
    """Divide the tokens among texts, each with a separator: short texts stay whole, long ones get equal shares."""
    limit = max(lengths, default=0)
    while limit and sum(min(length, limit) + 1 for length in lengths) > room:
        limit -= 1
    return [min(length, limit) for length in lengths]


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    raised = np.exp(logits.astype(np.float64) - logits.max())
    shares: NDArray[np.float64] = raised / raised.sum()
    return shares


def _spans(
    logits: NDArray[np.float32], origin: Sequence[tuple[int, int, int]]
) -> list[tuple[float, tuple[int, int, int]]]:
    """Return the likeliest spans that do not overlap: probability, context, start and end.

    Each has the probability of all that overlap with it: "8.20" and "at 8.20 sharp" are one answer.
    """
    numbers = np.array([number for number, _, _ in origin])
    starts, ends = (np.where(numbers >= 0, logits[:, side].astype(np.float64), -np.inf) for side in (0, 1))
    distance = np.arange(len(origin))[None, :] - np.arange(len(origin))[:, None]
    possible = (distance >= 0) & (distance < _LONGEST_ANSWER) & (numbers[:, None] == numbers[None, :])
    scores = np.where(possible, starts[:, None] + ends[None, :], -np.inf)
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    spans: list[tuple[float, tuple[int, int, int]]] = []
    while len(spans) < _SPANS and shares.max() > 0:
        first, last = divmod(int(shares.argmax()), len(origin))
        overlapping = shares[: last + 1, first:]
        spans.append((float(overlapping.sum()), (origin[first][0], origin[first][1], origin[last][2])))
        overlapping[:] = 0
    return sorted(spans, key=lambda span: -span[0])
