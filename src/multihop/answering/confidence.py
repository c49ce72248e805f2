"""Confidence: the probability that what is shown is right.

One logistic function for answers and one for verdicts, over what the models say and how well it fits the question.
`training/confidence.py` prints what train questions give; a reader that was trained on them is too sure of these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

ANSWER: Mapping[str, float] = {
    "bias": -1.55,
    "reader": 0.43,
    "none": -1.84,
    "named": 0.54,
    "said": 1.2,
    "stated": 0.18,
}
"""Log-odds of the reader, its probability of none, whether the passage of the answer or one that leads to it mentions a
name of the question, the share of the question's words in these sentences, and the log-odds that they support question
and answer as a claim.

As `training/confidence.py` fits them on questions that the reader was not trained on, but for two: `named`, in which
questions of one hop hardly differ (where no name is found, the text speaks of something else), and `said`, which it
gives .66 (the passages of an index share fewer words with a question than those chosen there)."""
SUPPORTED: Mapping[str, float] = {"bias": -0.96, "supported": 0.67, "contradicted": 0.33, "said": 1.63}
CONTRADICTED: Mapping[str, float] = {"bias": -1.18, "supported": 0.24, "contradicted": 0.5, "said": 1.75}
"""Log-odds of the two, and how much of the claim the evidence speaks of; undecided has a log-odds of 0."""
THRESHOLD = 0.25
"""Below this confidence an answer is not given; the closest sentence is shown instead."""
CONTRADICTS = 0.5
"""Minimum confidence of "contradicted"; below it a claim is undecided."""
_SUREST = 0.999


def log_odds(probability: float) -> float:
    """Turn a probability into log-odds, bounded for those of 0 and 1."""
    bounded = min(_SUREST, max(1 - _SUREST, probability))
    return math.log(bounded / (1 - bounded))


def confidence(features: Mapping[str, float], weights: Mapping[str, float] = ANSWER) -> float:
    """Give the probability that an answer with these features is right."""
    return 1 / (1 + math.exp(-total(features, weights)))


def total(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Sum up the weighted features."""
    return weights["bias"] + sum(weights[name] * value for name, value in features.items())


def verdict_confidence(features: Mapping[str, float]) -> tuple[float, float, float]:
    """Give the probabilities that a claim with these features is supported, contradicted or undecided."""
    odds = [math.exp(total(features, weights)) for weights in (SUPPORTED, CONTRADICTED)]
    whole = sum(odds) + 1
    return odds[0] / whole, odds[1] / whole, 1 / whole
