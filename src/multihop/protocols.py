"""The seams of the engine: what each replaceable part must be able to do. Nothing here needs to be inherited.

Parts are frozen values; the index they work on is handed to them with every call, as a `View`. A view is one
generation of a store seen through one filter, so a part cannot forget the filter or mix two generations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from multihop.errors import InvalidRecord
from multihop.types import (
    Candidate,
    Changed,
    Check,
    Coverage,
    Decision,
    Document,
    Hit,
    Link,
    Listed,
    LmCall,
    Mention,
    Pair,
    Passage,
    Piece,
    Plan,
    Query,
    Relation,
    Selection,
    Stats,
    Where,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

T = TypeVar("T")
Scored = list[tuple[str, float]]
"""Passage ids with scores, best first."""
Divided = tuple[Document, Sequence[Piece]]
"""A document and the pieces it was cut into."""
Progress = Callable[[str, int, int | None], None]
"""Called with the stage of the work, how much of it is done, and the total where it is known."""


# --- the parts of a strategy ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class State:
    """What the loop knows at a hop; every part of a strategy gets it and none can change it."""

    question: str
    k: int
    plan: Plan
    hop: int = 0
    tried: tuple[Query, ...] = ()
    pool: Mapping[str, Candidate] = field(default_factory=dict)
    selection: Selection = Selection()
    entered: tuple[str, ...] = ()
    """Passages that came into the budget with the last hop."""
    coverage: Coverage = Coverage()


@dataclass(frozen=True, slots=True)
class Context:
    """What a part may use while it works on one question: the index, and a place to say what it had to do without."""

    view: View
    notes: list[str] = field(default_factory=list)
    lm: Asker | None = None
    """The language model, where one is configured."""
    memory: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What a part learned in one hop and needs in a later one."""

    def note(self, text: str) -> None:
        """Record in the trace that something was degraded or left out; the same note is kept once."""
        if text not in self.notes:
            self.notes.append(text)


@runtime_checkable
class Planner(Protocol):
    """Says what is to be found out, before any search."""

    def plan(self, question: str, context: Context) -> Plan: ...


@runtime_checkable
class QueryWriter(Protocol):
    """Writes the queries of the next hop; none when it has nothing left to ask."""

    def write(self, state: State, context: Context) -> Sequence[Query]: ...


@runtime_checkable
class Searcher(Protocol):
    """Answers many queries at once, one list of hits for each, best first."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]: ...


@runtime_checkable
class Selector(Protocol):
    """Fills the budget from the pool: min(k, pool) passages, never a duplicate."""

    def select(self, state: State, context: Context) -> Selection: ...


@runtime_checkable
class Assessor(Protocol):
    """Says how far the selected passages cover what the plan asked for."""

    def assess(self, state: State, context: Context) -> Coverage: ...


@runtime_checkable
class StopRule(Protocol):
    """Decides after a hop whether another one would pay."""

    def decide(self, state: State) -> Decision: ...


class RelationRule(Protocol):
    """Phrases that speak for a relation of some kind; the passage that says one is the source of the relation."""

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

    def judge(self, pairs: Sequence[Pair]) -> Sequence[Sequence[Relation] | None]: ...


# --- the language model ---------------------------------------------------------------------------


class Step(NamedTuple):
    """One thing to ask a language model: the prompt by its name, such as "claim_decomposition", and its inputs."""

    prompt: str
    inputs: Mapping[str, Any]


class LmAnswer(NamedTuple):
    """What a language model answered, cleaned and typed; without values, the reason why there are none."""

    values: Mapping[str, Any] | None
    problem: str = ""


class Asker(Protocol):
    """A language model during one question: it keeps the books and the limits, and may always fail to answer."""

    @property
    def calls(self) -> Sequence[LmCall]: ...

    def ask(self, steps: Sequence[Step], hop: int) -> Sequence[LmAnswer]:
        """Ask several things at once, one answer for each. Never raises for what a model does."""


class LanguageModel(Protocol):
    """A language model ready for any number of questions."""

    @property
    def name(self) -> str: ...

    def session(self, prompts: Any = None) -> Asker:
        """Begin a question, with its own books; `prompts` are used in place of those it would use otherwise."""


# --- the index ------------------------------------------------------------------------------------


class Lookup(NamedTuple):
    """One lexical search: the best passages for a text, among `within` when given.

    A `rough` one may leave out words that very many passages use: faster, and seldom different at the top.
    """

    text: str
    limit: int
    within: Sequence[str] | None = None
    rough: bool = False


class View(Protocol):
    """One generation of a store, seen through one filter. All methods are deterministic; ties break by id."""

    @property
    def generation(self) -> int: ...

    @property
    def size(self) -> int:
        """How many passages the filter lets through."""

    @property
    def embedder(self) -> Embedder | None: ...

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        """Load passages; ids that are unknown or filtered out are left out."""

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        """Give the first `limit` passage ids of each document, in reading order."""

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        """Rank passages by BM25 for each lookup; a store may work on several at the same time."""

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        """Rank passages by cosine similarity to each vector, among `within` when given."""

    def named(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Find the names of documents in each text: longest match, in order, each with every document it may mean."""

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        """Which documents do these passages name? With `rarest`, only by so many names each, the least used first."""

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        """Which passages (at most `limit` for each document) name these documents?"""

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        """Give the relations whose source is one of these passages, by source, target and kind."""

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        """Give the relations whose target is one of these passages, by source, target and kind."""

    def relation_counts(self) -> dict[str, int]:
        """How many relations each passage is an end of, as far as it is of any."""

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        """Give the passages that came in after a mark (-1 for all), each with a mark of its own, in that order.

        A replaced document comes in again. Marks are never used twice, and mean nothing in another store.
        """

    def scan(self) -> Iterator[Passage]:
        """Give every passage the filter lets through, in a fixed order; memory does not grow with the index."""

    def vectors(self, passages: Sequence[str]) -> Vectors:
        """Give the stored vector of each passage as one row; a row of zeros where there is none."""

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        """Give back what is stored under a name, as `Store.get_blob` does."""

    def cached(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        """Give what `make` computes from this view, computed once while its generation and filter are in use.

        What does not depend on the filter may be `shared` with views of other filters.
        """


class Matcher(Protocol):
    """Finds a fixed set of names in folded words."""

    def find(self, texts: Sequence[Sequence[str]]) -> list[set[int]]:
        """Give for the words of each text the positions (in the list of names) of the longest names among them."""

    def locate(self, words: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        """Give each name with the range of words it covers."""


class Linker(Protocol):
    """Says under which names a document is mentioned, and finds names in texts."""

    def names(self, title: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
        """Give the surface keys of a document."""

    def possible(self, words: Sequence[str]) -> set[str]:
        """Give every key that these words could mention: the only ones worth looking up."""

    def runs(self, words: Sequence[str]) -> list[str]:
        """Give from each word on the longest key that could stand there; every possible key begins one of them."""

    def matcher(self, keys: Sequence[str]) -> Matcher: ...


class Store(Protocol):
    """The truth: documents with their passages, names, mentions and vectors. One transaction per call."""

    @property
    def generation(self) -> int: ...

    @property
    def embedder(self) -> Embedder | None: ...

    @property
    def recorded_embedder(self) -> str | None:
        """The identity of the embedder whose vectors the store holds."""

    @property
    def dimension(self) -> int | None:
        """How long the stored vectors are; None where there are none."""

    @property
    def location(self) -> str:
        """Where the index can be opened again: a folder, or an address with *** for its password."""

    @property
    def writable(self) -> bool:
        """True when this process may write to it, as far as can be told without trying."""

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
        """Add or replace documents by id, all of them or (when this raises) none since the last transaction."""

    def delete(self, ids: Iterable[str]) -> Changed: ...

    def relate(self, relations: Iterable[Relation], *, replace: bool = False) -> int:
        """Keep relations between passages (all others go with `replace`); those of unknown passages are passed over.

        A relation lives as long as both its passages. Returns how many were kept.
        """

    def put_blob(self, name: str, data: bytes) -> None:
        """Store something that was computed from the index (a model, a table) under a name, with its generation."""

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        """Give back what was stored under a name, and the generation it was computed from."""

    def view(self, where: Where | None = None) -> View: ...

    def refresh(self) -> int:
        """Move to the newest consistent generation and return it."""

    def document(self, id: str) -> Document | None: ...

    def document_ids(self) -> Iterator[str]: ...

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        """List documents by id, from behind `after`, those whose id or title starts so (whatever the case)."""

    def stats(self) -> Stats: ...

    def verify(self, repair: bool = True) -> list[Check]: ...

    def close(self) -> None: ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Its identity is stored with the index and must match when it is opened."""

    @property
    def identity(self) -> str:
        """Kind and model, such as "wordllama:l2_supercat:256"; two embedders of one identity give equal vectors."""

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Embed texts as one float32 row each, of length one; `query` for models that tell both sides apart."""


class Reader(Protocol):
    """Reads documents from a file, one at a time; a record it cannot read is yielded as the error it would raise."""

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]: ...
