"""Row operations: what a database supplies so that the core can write and read an index.

Passages and names are known by number here. Numbers of passages grow and are never used twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from multihop import text
from multihop.protocols import Lookup, Vectors
from multihop.types import Document, Passage, Piece, Relation, RelationKind, SourceFile

Pair = tuple[int, int]
"""A mention: the passage and the name it uses. For relations: source and target."""
Ranked = list[tuple[int, float]]
"""Passages with scores; those that tie with the last one asked for are given too."""


class NewDocument(NamedTuple):
    """A document to be stored, its passages as they were cut, and the names it is mentioned by."""

    document: Document
    pieces: Sequence[Piece]
    names: Sequence[str]


@dataclass(frozen=True)  # without slots, which leave no room for a cached property
class NewPassage:
    """A passage to be linked and embedded. Its words are found when they are asked for, and once."""

    number: int
    title: str
    heading: str
    body: str

    @cached_property
    def words(self) -> list[str]:
        return text.passage_words(self.title, self.heading, self.body)


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out: how many documents, which passages, the names the documents had and those mentioned."""

    documents: int = 0
    passages: Collection[int] = ()
    names: Collection[int] = ()
    mentioned: Iterable[int] = ()
    """The names that the passages mentioned, each as often as a passage did."""
    unrelated: Collection[str] = ()
    """Passages at the other ends of their relations, by id."""


class NameRows(Protocol):
    """Names and mentions, inside a transaction."""

    def earlier_count(self) -> int:
        """Count the passages that were there before this change."""

    def earlier(self) -> Iterable[NewPassage]:
        """Read all passages that were there before this change, in order; memory does not grow with them."""

    def read(self, passages: Sequence[int]) -> Iterable[NewPassage]: ...

    def index(self, passages: Sequence[NewPassage]) -> None:
        """Put new passages into the lexical index; nothing to do where `insert` has done so."""

    def name_count(self) -> int:
        """Return how many names there are, or were before some were dropped; it must not take a look at each."""

    def new_names(self) -> Sequence[str]:
        """Return the names that this change brought and that are still there."""

    def all_names(self) -> Mapping[str, int]: ...

    def names_in(self, runs: Collection[str]) -> Mapping[str, int]:
        """Return the names that one of these runs of words begins with."""

    def drop_unused_names(self, names: Collection[int]) -> tuple[Collection[int], Collection[int]]:
        """Delete those names that no document has any more; returns them, and the passages that mentioned them."""

    def with_words_of(self, names: Sequence[str]) -> Iterable[int]:
        """Find the passages that may mention one of these names, by its words."""

    def mentions(self, passages: Sequence[int]) -> Iterable[Pair]: ...

    def insert_mentions(self, mentions: Sequence[Pair]) -> None: ...

    def delete_mentions(self, mentions: Sequence[Pair]) -> None: ...

    def add_spread(self, changes: Sequence[Pair]) -> None:
        """Add to the count of passages that mention a name: names with what is added."""


class WriteRows(NameRows, Protocol):
    """Everything that one transaction writes."""

    @property
    def first(self) -> int:
        """The number of the first passage that this change adds."""

    def insert(self, documents: Sequence[NewDocument]) -> Sequence[NewPassage]:
        """Store documents with passages, metadata and names; none of them is there."""

    def remove(self, ids: Sequence[str]) -> Removed:
        """Delete documents with all that belongs to them; unknown ids are passed over."""

    def new_passages(self) -> Iterator[NewPassage]:
        """Read the passages that this change added, in order."""

    def insert_vectors(self, passages: Sequence[int], vectors: Vectors) -> None: ...

    def vectors_of(self, documents: Sequence[str]) -> Iterable[tuple[str, str, str, Vectors]]:
        """Return title, heading, text and vector of every passage of these documents that has a vector."""

    def without_vectors(self, passages: Sequence[int]) -> Collection[int]:
        """Return those of the passages that have no vector yet."""

    def put_files(self, files: Sequence[SourceFile]) -> None: ...

    def drop_files(self, files: Sequence[tuple[str, str]]) -> None:
        """Forget files by folder and path."""

    def passage_numbers(self, ids: Collection[str]) -> Mapping[str, int]: ...

    def delete_relations(self) -> int: ...

    def read_blob(self, name: str) -> bytes:
        """Read what is stored under a name; empty where nothing is."""

    def write_blob(self, name: str, data: bytes) -> None: ...

    def insert_relations(self, relations: Sequence[tuple[int, int, Relation]]) -> None: ...

    def finish(self, added: int, removed: int) -> int:
        """Write the counters after passages were added and deleted; returns the generation of the change."""


@dataclass(slots=True)
class KnownIds:
    """Ids and numbers of passages, as far as one view has met them. None stands for an id that does not exist."""

    of: dict[int, str] = field(default_factory=dict)
    numbers: dict[str, int | None] = field(default_factory=dict)

    def add(self, number: int, id: str) -> str:
        self.of[number] = id
        self.numbers[id] = number
        return id

    def forget(self, ids: Iterable[str]) -> None:
        for id in ids:
            if (number := self.numbers.pop(id, None)) is not None:
                self.of.pop(number, None)


class NameUse(NamedTuple):
    """A passage that uses a name: how many passages use it, and the name itself."""

    passage: int
    spread: int
    key: str
    name: int


class ReadRows(Protocol):
    """One generation of an index, seen through one filter. Where it learns ids of passages, it adds them to `ids`."""

    @property
    def ids(self) -> KnownIds: ...

    @property
    def generation(self) -> int: ...

    @property
    def size(self) -> int:
        """How many passages pass the filter."""

    def passing(self, passages: Iterable[int]) -> set[int]:
        """Return those of the passages that pass the filter."""

    def find(self, ids: Sequence[str]) -> None:
        """Look up the numbers of ids, whether they pass the filter or not."""

    def find_ids(self, passages: Sequence[int]) -> None:
        """Look up the ids of numbers."""

    def passages(self, passages: Sequence[int]) -> dict[int, Passage]: ...

    def openings(self, documents: Sequence[str], limit: int) -> dict[str, tuple[tuple[int, str], ...]]:
        """Return number and id of the first passages of documents, whether they pass the filter or not."""

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]: ...

    def lexical(self, lookups: Sequence[Lookup], within: Sequence[Sequence[int] | None]) -> list[Ranked]: ...

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Count the passages that use each term, whether they pass the filter or not."""

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[int] | None) -> list[Ranked]: ...

    def vectors(self, passages: Sequence[int]) -> tuple[Sequence[int], Vectors]:
        """Return the stored vectors of passages, as far as they have one."""

    def names_in(self, runs: Collection[str]) -> Mapping[str, int]:
        """Return the names that one of these runs of words begins with."""

    def meanings(self, names: Mapping[int, str]) -> dict[int, dict[str, bool]]:
        """Return the documents that share each name (number and key), with whether it is their whole title."""

    def mentions(self, passages: Sequence[int]) -> Iterable[NameUse]: ...

    def mentions_of(self, documents: Sequence[str], limit: int) -> dict[str, list[NameUse]]:
        """Return at most `limit` passing passages of others that mention each document, the rarest names first."""

    def relations(self, end: str, passages: Sequence[int]) -> Iterable[tuple[int, int, RelationKind, float, str, str]]:
        """Return the relations whose `end` (source or target) is one of these: both ends, then the rest."""
