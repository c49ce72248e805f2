"""What passes from seam to seam of the loop, in the order it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from multihop.types.corpus import Passage
from multihop.types.notes import Note
from multihop.types.plain import SHOWN_IF_SET


@dataclass(frozen=True, slots=True)
class Entity:
    """Something the question names: a title of the corpus, a capitalized span, a quotation, a number.

    A bridge is not named by the question itself but by the documents it names: the likely middle of a chain.
    """

    text: str
    kind: Literal["title", "span", "quote", "number", "bridge"]
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aspect:
    """One facet of what is asked, such as the definition of one thing or the comparison of two."""

    text: str
    type: str
    importance: float = 1.0
    subjects: tuple[str, ...] = ()
    """The things it is about."""
    keywords: tuple[str, ...] = ()
    """What else a passage on it is likely to say."""
    question: str = ""
    """How to ask for it; empty when the usual phrasing of its type will do."""

    @property
    def core(self) -> bool:
        """True when the question is not answered without it."""
        return self.importance >= CORE


CORE = 0.8
"""From this importance on an aspect is a core one; below it is optional."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Planners: what is to be found out, before any search."""

    entities: tuple[Entity, ...] = ()
    sub_questions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    facts: tuple[str, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """What must be verified, for strategies that name it before they search."""
    queries: tuple[str, ...] = field(default=(), metadata=SHOWN_IF_SET)
    """Searches that the plan itself asks for."""


@dataclass(frozen=True, slots=True)
class Query:
    """One text to search for in a hop, and what it is for."""

    text: str
    purpose: str
    limit: int = 100
    part: bool = False
    """True for a query that asks for a part of the question only."""


@dataclass(frozen=True, slots=True)
class Walk:
    """From seed passages to those they lead to, and what it is for; `text` is what the passages met should match."""

    text: str
    purpose: str
    limit: int
    seeds: tuple[tuple[str, float], ...]
    """Where the walk starts: passages, each with the weight that what it leads to inherits."""


# A tuple, not a dataclass: a hop makes thousands of them, and unpacks them where time counts.
class Hit(NamedTuple):
    """A passage that a searcher found for a query, scored on the searcher's own scale."""

    passage_id: str
    score: float
    channel: str
    """A `Channel`, or the name of one."""
    via: str = ""
    """For a link, the passage it came from; for a name, the name itself."""


class Candidate(NamedTuple):
    """A passage met so far, with its best score by channel and how it was first met."""

    passage: Passage
    scores: Mapping[str, float]
    hop: int
    via: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a passage was selected: for people in words, for programs by its channel and what led there."""

    text: str
    channel: str = ""
    via: str = ""
    """The id of the passage that led there, or the name in the question."""


FILLS = "fills the budget"
"""The reason of a passage that nothing speaks for."""


class Choice(NamedTuple):
    """A passage that a selector put into the budget, and why."""

    passage_id: str
    score: float
    reason: str
    because: tuple[Reason, ...] = ()
    """The reasons one by one; empty where there are only words."""

    @classmethod
    def of(cls, passage_id: str, score: float, because: Sequence[Reason]) -> Choice:
        """Make a choice whose reason in words is that of all reasons."""
        return cls(passage_id, score, "; ".join(each.text for each in because) or FILLS, tuple(because))

    def add_reason(self, text: str, *, first: bool = False) -> Choice:
        """Return the same choice with one more reason, by default the last."""
        own, more = self.because or (Reason(self.reason),), (Reason(text),)
        return self.of(self.passage_id, self.score, (*more, *own) if first else (*own, *more))


@dataclass(frozen=True, slots=True)
class Replacement:
    """One passage left the budget and another took its place."""

    out: str
    into: str
    reason: str


BENCH = 10
"""How many passages a ranking keeps behind the budget."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The state of the budget after a hop, best first."""

    choices: tuple[Choice, ...] = ()
    replaced: tuple[Replacement, ...] = ()
    bench: tuple[Choice, ...] = ()
    """The next best, which found no place: where to look further when the budget is small."""
    calibrated: bool = False
    """True where the score of a choice is the probability that it is evidence; otherwise scores only order."""
    reranker: str = ""
    """Identity of the reranker that read the best candidates; empty where none did."""
    ranked_by_lm: bool = False
    """True where the order is that of a language model."""

    @classmethod
    def of(
        cls,
        ranked: Sequence[Choice],
        k: int,
        *,
        calibrated: bool = False,
        reranker: str = "",
        ranked_by_lm: bool = False,
    ) -> Selection:
        """Split a ranking into the first k and the bench behind them."""
        bench = tuple(ranked[k : k + BENCH])
        return cls(tuple(ranked[:k]), (), bench, calibrated, reranker, ranked_by_lm)


@dataclass(frozen=True, slots=True)
class Target:
    """One thing the evidence should cover, how well it does, and which passage does it."""

    name: str
    kind: str
    score: float
    importance: float = 1.0
    covered_by: str = ""
    hop: int = 0

    @property
    def covered(self) -> bool:
        return bool(self.covered_by)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the evidence covers what the plan asked for."""

    targets: tuple[Target, ...] = ()

    @property
    def fraction(self) -> float:
        """Share of the targets that are covered, weighted by importance; 1.0 when nothing was asked for."""
        total = sum(t.importance for t in self.targets)
        return sum(t.importance for t in self.targets if t.covered) / total if total else 1.0

    @property
    def missing(self) -> tuple[Target, ...]:
        """The targets that nothing covers yet, most important first."""
        return tuple(sorted((t for t in self.targets if not t.covered), key=lambda t: -t.importance))


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the loop stops after a hop, and why."""

    stop: bool
    reason: str
