"""What an index offers, in capabilities that a part asks for one by one.

A capability is one generation of an index, seen through one filter, so a part can neither forget the filter nor mix two
generations. All methods are deterministic; ties break by id. A store offers every capability (`View`); a retriever from
elsewhere implements those it has and hands them over as an `Index`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

from multihop.errors import MissingCapability
from multihop.types import Link, Mention, Note, Passage, Relation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:
    # There by name alone: loading numpy takes longer than all that `import multihop` needs.
    Vectors = object

T = TypeVar("T")
Scored = list[tuple[str, float]]
"""Passage ids with scores, best first."""


class Passages(Protocol):
    """The passages that the filter lets through: what every index has."""

    @property
    def size(self) -> int:
        """How many there are."""

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        """Load passages; ids that are unknown or filtered out are left out."""

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        """Return the first `limit` passage ids of each document, in reading order."""

    def scan(self) -> Iterator[Passage]:
        """Return every passage, in a fixed order; memory does not grow with the index."""


class Lookup(NamedTuple):
    """One lexical search: the best passages for a text, among `within` when given.

    A `rough` one may leave out words that very many passages use: faster, and seldom different at the top.
    """

    text: str
    limit: int
    within: Sequence[str] | None = None
    rough: bool = False


class Lexical(Protocol):
    """Search by words."""

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        """Rank passages by BM25 for each lookup; a store may work on several at the same time."""


class Terms(Protocol):
    """How common words are."""

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Count the passages of the whole index, whatever the filter, that use each term as `text.terms` gives it."""


class Dense(Protocol):
    """Search by vectors, and the vectors themselves."""

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        """Rank passages by cosine similarity to each vector, among `within` when given."""

    def vectors(self, passages: Sequence[str]) -> Vectors:
        """Return the stored vector of each passage as one row; a row of zeros where there is none."""


class Names(Protocol):
    """The names of documents."""

    def find_names(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Find the names of documents in each text: longest match, in order, each with every document it may mean."""


class Links(Protocol):
    """Which passages name which documents."""

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        """Which documents do these passages name? With `rarest`, only by that many names each, the least used first."""

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        """Which passages (at most `limit` for each document) name these documents?"""


class Relations(Protocol):
    """Typed relations between passages."""

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        """Return the relations whose source is one of these passages, by source, target and kind."""

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        """Return the relations whose target is one of these passages, by source, target and kind."""

    def lost_relations(self) -> list[str]:
        """Return the passages that lost a relation, because the one at its other end went, until that is settled."""


class Cache(Protocol):
    """What was computed from the index."""

    def get_or_make(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        """Return what `make` computes, computed once while this generation and filter are in use.

        What does not depend on the filter may be `shared` with other filters.
        """

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        """Return what is stored in the index under a name, and the generation it was computed from."""


class View(Passages, Lexical, Terms, Dense, Names, Links, Relations, Cache, Protocol):
    """Every capability at once: one generation of a store, seen through one filter."""

    @property
    def generation(self) -> int: ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return what of the index cannot be seen at the moment; `retrieve` notes it in its trace."""

    @property
    def embedder(self) -> Embedder | None: ...

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        """Return the passages that came in after a mark (-1 for all), each with a mark of its own, in that order.

        A replaced document comes in again. Marks are never used twice, and mean nothing in another store.
        """


@dataclass(frozen=True, slots=True)
class Index:
    """The capabilities that the parts of a strategy can ask for; None stands for one that this index does not have.

    A part that can do without a capability says what it does then; one that cannot calls `require`.
    """

    passages: Passages
    lexical: Lexical | None = None
    terms: Terms | None = None
    dense: Dense | None = None
    embedder: Embedder | None = None
    """What turns a text into a vector that `dense` can compare."""
    names: Names | None = None
    links: Links | None = None
    relations: Relations | None = None
    cache: Cache | None = None
    generation: int = 0
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, view: View) -> Index:
        """Offer everything that a view of a store can do."""
        # Stored vectors are of no use without the embedder that turns a question into one.
        dense = view if view.embedder is not None else None
        return cls(view, view, view, dense, view.embedder, view, view, view, view, view.generation, view.notes)


def require(capability: T | None, name: str) -> T:
    """Return a capability, or raise for an index that does not have it."""
    if capability is None:
        raise MissingCapability(
            f"the strategy needs {name}, which this index does not offer; choose another strategy or another index"
        )
    return capability


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Its identity is stored with the index and must match when it is opened."""

    @property
    def identity(self) -> str:
        """Kind and model, such as "wordllama:l2_supercat:256"; two embedders of one identity give equal vectors."""

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Embed texts as one float32 row each, of length one; `query` for models that embed both sides differently."""


@runtime_checkable
class FollowingEmbedder(Embedder, Protocol):
    """An embedder that was also trained for the step from one passage to the next."""

    def follow(self, question: str, passages: Sequence[str]) -> Vectors:
        """Embed the question read together with each passage: near the passages that come after it."""
