"""What the loop gives back: evidence, and a trace that says why it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from multihop.types.chains import Chain
from multihop.types.conflicts import Conflict
from multihop.types.corpus import Passage, Where
from multihop.types.notes import Note
from multihop.types.plain import SHOWN_IF_SET, plain
from multihop.types.steps import Coverage, Decision, Plan, Query, Reason, Replacement, Walk


@dataclass(frozen=True, slots=True)
class TopHit:
    """One of the best hits of a query, as the trace keeps it: the few hits of hundreds that are written out."""

    passage_id: str
    score: float
    channel: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What one query or walk brought: how many passages by channel, and the best of them."""

    query: Query | Walk
    counts: Mapping[str, int]
    top: tuple[TopHit, ...]
    new: int


@dataclass(frozen=True, slots=True)
class Hop:
    """One turn of the loop, as the trace keeps it."""

    number: int
    found: tuple[Found, ...]
    selected: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    replaced: tuple[Replacement, ...]
    coverage_before: Coverage
    coverage_after: Coverage
    decision: Decision
    pool: int
    # Time is not part of what was found: two runs of one question are equal.
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    notes: tuple[Note, ...] = ()
    learned: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata=SHOWN_IF_SET)
    """What was learned before the search and handed on to later parts, by kind."""


@dataclass(frozen=True, slots=True)
class LmCall:
    """One step put to a language model: what it was for, what it cost, and why its rule had to do it instead."""

    step: str
    hop: int
    tokens_in: int = 0
    tokens_out: int = 0
    attempts: int = 1
    problem: str = ""
    """Empty when the answer was used."""
    cached: bool = field(default=False, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def outcome(self) -> Literal["ok", "cached", "failed"]:
        return "failed" if self.problem else "cached" if self.cached else "ok"


@dataclass(frozen=True, slots=True)
class Trace:
    """Why the evidence is what it is: the plan, every hop, and what was degraded on the way."""

    strategy: Mapping[str, Any]
    plan: Plan
    hops: tuple[Hop, ...]
    notes: tuple[Note, ...] = ()
    generation: int = 0
    seconds: float = field(default=0.0, compare=False)
    lm_calls: tuple[LmCall, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """Every step put to a language model, in order; hop 0 is the plan."""
    lm: str = field(default="", metadata=SHOWN_IF_SET)
    """The language model, where one was configured."""
    reranker: str = field(default="", metadata=SHOWN_IF_SET)
    """Identity of the reranker that read the best candidates, where one did."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage of the result: its place, its score, the hop that found it and the reason it is there."""

    rank: int
    passage: Passage
    score: float
    reason: str
    hop: int
    scores: Mapping[str, float] = field(default_factory=dict)
    because: tuple[Reason, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """The reasons one by one, each with its channel and what led there; empty where a selector gave only words."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of the engine: at most k passages, what they cover, the chain they form, and the trace."""

    question: str
    k: int
    evidence: tuple[Evidence, ...]
    coverage: Coverage
    trace: Trace
    where: Where = field(default_factory=dict)
    chain: Chain = Chain()
    """Which passages form the chain, by which sentences, and which only support it or fill the budget."""
    keep: Where = field(default_factory=dict, metadata=SHOWN_IF_SET)
    """The filter of what was returned, where there was one."""
    at_most: Mapping[str, int] = field(default_factory=dict, metadata=SHOWN_IF_SET)
    """How many passages of one value of a field were returned at most, where that was bounded."""
    exclude: tuple[str, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """Ids of passages and documents that were left out on request."""
    as_of: str = field(default="", metadata=SHOWN_IF_SET)
    """The day on which the documents had to hold, where the index says of any when it holds."""
    conflicts: tuple[Conflict, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """Sentences of the evidence that contradict each other; looked for unless models are turned off."""
    calibrated: bool = False
    """True where the score of a piece of evidence is the probability that it is one; otherwise scores only order."""

    @property
    def short(self) -> bool:
        """True when fewer than k passages could be reached."""
        return len(self.evidence) < self.k

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.evidence)

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the result into plain values; without timing, equal results give equal dictionaries."""
        row = plain(self, timing=timing)
        row["short"] = self.short
        row["coverage"]["fraction"] = round(self.coverage.fraction, 6)
        return row  # type: ignore[no-any-return]  # a dataclass always becomes a dict

    def to_json(self, *, timing: bool = True, indent: int | None = None) -> str:
        """Serialize the result; without timing, equal results give equal bytes."""
        return json.dumps(self.to_dict(timing=timing), ensure_ascii=False, indent=indent)
