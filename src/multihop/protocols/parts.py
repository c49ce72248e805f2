"""The parts of a strategy: frozen values. What they work on is handed to them with every call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, runtime_checkable

from multihop.protocols.index import Index
from multihop.protocols.lm import Asker
from multihop.protocols.reading import Reranker
from multihop.types import Candidate, Coverage, Decision, Hit, Note, PassagePair, Plan, Query, Relation, Selection, Walk

STATED = "stated relevance"
"""Metadata of a passage from elsewhere: the score between 0 and 1 that its retriever gave it."""
GAPS = "gaps"
"""Kind of what is learned: what gap analysis or follow-up queries look for, for a selector to score by."""
RESTATING = "restating"
"""Kind of what is learned: the ids of documents that repeat the question."""


@dataclass(frozen=True, slots=True)
class State:
    """What the loop knows at a hop; every part of a strategy gets it and none can change it."""

    question: str
    k: int
    plan: Plan
    hop: int = 0
    tried: tuple[Query | Walk, ...] = ()
    pool: Mapping[str, Candidate] = field(default_factory=dict)
    selection: Selection = Selection()
    entered: tuple[str, ...] = ()
    """Passages that came into the budget with the last hop."""
    coverage: Coverage = Coverage()
    learned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What parts learned so far and others build on, by kind, such as `GAPS`."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a part may use while it works on one question: the index, and a place to say what it had to do without."""

    index: Index
    # Copies of a context, such as one with another language model, share what is gathered here.
    notes: list[Note] = field(default_factory=list)
    lm: Asker | None = None
    """The language model, where one is configured."""
    learned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What `learn` gathers; parts read it from the state."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What parts worked out and will need again in a later hop of the same question; nothing may depend on it."""

    def note(self, note: Note) -> None:
        """Record in the trace that something was degraded or left out; the same note is kept once."""
        if note not in self.notes:
            self.notes.append(note)

    def learn(self, kind: str, values: Iterable[str]) -> None:
        """Share what was learned with later parts: the loop puts it into the state and the trace."""
        self.learned[kind] = tuple(dict.fromkeys((*self.learned.get(kind, ()), *values)))


class Extra(NamedTuple):
    """An optional dependency: its name in `pip install "multihop[NAME]"`, and a module that it installs."""

    name: str
    module: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a part, or a whole strategy, cannot work without."""

    vectors: bool = False
    extras: tuple[Extra, ...] = ()

    @classmethod
    def of(cls, whole: object) -> Requirements:
        """Return what the parts of a strategy require together, with those inside other parts."""
        stated = [part.requirements for part in _parts_of(whole) if isinstance(part, Requiring)]
        extras = dict.fromkeys(extra for each in stated for extra in each.extras)
        return cls(any(each.vectors for each in stated), tuple(extras))

    def missing_extra(self) -> str:
        """Return the name of the first extra that is not installed, or an empty text."""
        return next((extra.name for extra in self.extras if find_spec(extra.module) is None), "")


@runtime_checkable
class Requiring(Protocol):
    """A part that states its own requirements; one that does not works on every index, with the core alone."""

    @property
    def requirements(self) -> Requirements: ...


def _parts_of(whole: Any) -> Iterator[object]:
    inside = whole if isinstance(whole, tuple) else [getattr(whole, f.name) for f in fields(whole)]
    for part in inside:
        if is_dataclass(part) or isinstance(part, tuple):
            yield part
            yield from _parts_of(part)


@runtime_checkable
class Planner(Protocol):
    """Says what is to be found out, before any search."""

    def plan(self, question: str, context: Context) -> Plan: ...


@runtime_checkable
class QueryWriter(Protocol):
    """Writes the queries and walks of the next hop; none when it has nothing left to ask."""

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]: ...


@runtime_checkable
class Searcher(Protocol):
    """Answers many queries at once, one list of hits for each, best first."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]: ...


@runtime_checkable
class Walker(Protocol):
    """Takes many walks at once, one list of hits for each; `via` of a hit is the passage that led to it."""

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]: ...


@runtime_checkable
class Selector(Protocol):
    """Fills the budget from the pool: min(k, pool) passages, never a duplicate."""

    def select(self, state: State, context: Context) -> Selection: ...


@runtime_checkable
class Finisher(Selector, Protocol):
    """A selector with a last word when all hops are over, for what would cost too much in each of them."""

    def finish(self, state: State, context: Context) -> Selection: ...


@runtime_checkable
class Reranking(Selector, Protocol):
    """A selector that lets a reranker read, and states its own forms with another one and without any model."""

    def with_reranker(self, reranker: Reranker | None) -> Selector:
        """Return the same selector with another reranker; with None it reads nothing."""

    def without_models(self) -> Selector:
        """Return the selector that does its work by rules and weights alone."""


@runtime_checkable
class Assessor(Protocol):
    """Says how far the selected passages cover what the plan asked for."""

    def assess(self, state: State, context: Context) -> Coverage: ...


@runtime_checkable
class StopRule(Protocol):
    """Decides after a hop whether another one would pay."""

    def decide(self, state: State) -> Decision: ...


class CuePhrases(Protocol):
    """Cue phrases that indicate a relation of some kind; the passage that uses one is the source of the relation."""

    @property
    def kind(self) -> str: ...

    @property
    def cues(self) -> tuple[str, ...]: ...

    @property
    def confidence(self) -> float: ...


@runtime_checkable
class RelationJudge(Protocol):
    """Says which relations hold between passages; one answer for each pair, between its two passages only.

    None stands for a pair that it could not judge this time; it is asked again in a later call.
    """

    def judge(self, pairs: Sequence[PassagePair]) -> Sequence[Sequence[Relation] | None]: ...


@runtime_checkable
class NamedJudge(RelationJudge, Protocol):
    """A judge that messages call by a name of its own, not by that of its class."""

    @property
    def name(self) -> str: ...
