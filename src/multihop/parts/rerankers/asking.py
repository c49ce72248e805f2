"""Calls any reranker and checks its scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from multihop.errors import ReadingError
from multihop.protocols import Reranker
from multihop.types import Pair


def scores_of(reranker: Reranker, question: str, pairs: Sequence[Pair]) -> list[float]:
    """Return the score of each pair; raises if the reranker fails or violates its protocol."""
    if not pairs:
        return []
    scores = [float(score) for score in reranker.score(question, pairs)]
    if len(scores) != len(pairs):
        raise ReadingError(f"{reranker.identity} gave {len(scores)} scores for {len(pairs)} passages")
    if wrong := [score for score in scores if not math.isfinite(score)]:
        raise ReadingError(f"{reranker.identity} gave the score {wrong[0]}; scores must be finite")
    if reranker.calibrated and (wrong := [score for score in scores if not 0 <= score <= 1]):
        raise ReadingError(f"{reranker.identity} gave the probability {wrong[0]:g}; it must lie between 0 and 1")
    return scores


def join_pair(pair: Pair) -> str:
    """Write a pair as one text, for models that read one beside the question."""
    return f"{pair.passage}\n{pair.link}" if pair.link else pair.passage
