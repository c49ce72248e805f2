"""What models that read give back: what a reranker is shown, where an answer stands, whether a claim holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Pair(NamedTuple):
    """What a reranker reads of a candidate: its text, and the sentence of another passage that leads to it."""

    passage: str
    link: str = ""
    """Empty where no other passage leads to it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A possible answer: the characters `start` to `end` of one of the contexts, with the probability that it is."""

    context: int
    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers that a reader sees in its contexts.

    The outcomes exclude each other: the probabilities of all spans, of `yes`, `no` and `none` add up to 1 at most.
    """

    spans: tuple[Span, ...] = ()
    """The likeliest first."""
    yes: float = 0.0
    no: float = 0.0
    none: float = 0.0
    """The probability that the contexts do not answer the question."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a text says about a claim, as three probabilities that add up to 1."""

    supported: float
    contradicted: float
    neither: float
