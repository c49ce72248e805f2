"""Where documents are stored: the truth behind an index, and what it needs to read and link documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from multihop.errors import InvalidRecord
from multihop.protocols.index import Embedder, View
from multihop.types import Changed, Check, Document, Listed, Piece, Relation, Scalar, SourceFile, Stats, Where

Divided = tuple[Document, Sequence[Piece]]
"""A document and the pieces it was cut into."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Documents to delete."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A file that is no longer there."""

    folder: str
    path: str


Edit = Divided | Removal | SourceFile | Forgotten
"""One edit of an index: a document to add or replace, documents to delete, a file that was read or is gone."""
Progress = Callable[[str, int, int | None], None]
"""Called with the stage of the work, how much of it is done, and the total where it is known."""


class Documents(Protocol):
    """Documents as they were added."""

    def document(self, id: str) -> Document | None: ...

    def get_documents(self, ids: Sequence[str]) -> dict[str, Document]:
        """Look up many documents at once; ids that are not there are left out."""

    def document_ids(self) -> Iterator[str]: ...

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        """List documents by id, from behind `after`, those whose id or title starts so (whatever the case)."""

    def field_values(self, field: str, limit: int) -> list[tuple[Scalar, int]]:
        """Return the values of a metadata field with how many documents have each: the most frequent, ties by value."""


class Files(Protocol):
    """The files that documents were read from."""

    def files(self, folder: str, after: str, limit: int) -> list[SourceFile]:
        """List the files of a folder by path, from behind `after`."""

    def files_at(self, folder: str, paths: Sequence[str]) -> dict[str, SourceFile]:
        """Look up files of a folder by path."""

    def put_files(self, files: Iterable[SourceFile]) -> None:
        """Record files; no document changes."""

    def ids_with(self, field: str, value: str, after: str, limit: int) -> list[str]:
        """List the documents whose metadata field holds a text, by id, from behind `after`."""


class Writing(Protocol):
    """Changes, each call one transaction."""

    @property
    def writable(self) -> bool:
        """True when this process may write, as far as is known without trying."""

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
        """Add or replace documents by id, all of them or (when this raises) none since the last transaction."""

    def delete(self, ids: Iterable[str]) -> Changed: ...

    def edit(self, edits: Iterable[Edit], progress: Progress | None = None) -> Changed:
        """Add, delete and take note of files, in transactions of which each holds some of the edits in their order.

        Passages that stay as they were keep their vectors, also under a new id. `Changed` counts what was added.
        """

    def relate(self, relations: Iterable[Relation], *, replace: bool = False, settles: int = -1) -> int:
        """Store relations between passages (all others go with `replace`); those of unknown passages are passed over.

        A relation lives as long as both its passages. Passages that lost one up to the generation that this `settles`
        are no longer told by views. Returns how many were stored.
        """


@runtime_checkable
class Distributed(Protocol):
    """A store that may lie on several nodes; those in a folder do not."""

    def nodes(self) -> list[str]:
        """Describe the nodes that hold the index, one line each."""


class Blobs(Protocol):
    """Things that were computed from the index (a model, a table), each under a name."""

    def put_blob(self, name: str, data: bytes) -> None:
        """Store something under a name, with the generation it was computed from."""

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        """Return what was stored under a name, and the generation it was computed from."""


class Views(Protocol):
    """The index as it is searched, one generation at a time."""

    @property
    def generation(self) -> int: ...

    def refresh(self) -> int:
        """Move to the newest consistent generation and return it."""

    def view(self, where: Where | None = None) -> View: ...


class Embedding(Protocol):
    """Which embedder the vectors are from."""

    @property
    def embedder(self) -> Embedder | None:
        """The embedder that the store was opened with."""

    @property
    def recorded_embedder(self) -> str | None:
        """The identity of the embedder whose vectors the store holds."""

    @property
    def dimension(self) -> int | None:
        """How long the stored vectors are; None where there are none."""


class Store(Documents, Files, Writing, Blobs, Views, Embedding, Protocol):
    """The truth: documents with their passages, names, mentions and vectors."""

    @property
    def location(self) -> str:
        """Where the index can be opened again: a folder, or an address with *** for its password."""

    def beside(self, name: str) -> str:
        """Return the location of a derived index by name; it may contain a password."""

    def stats(self) -> Stats: ...

    def verify(self, repair: bool = True) -> list[Check]: ...

    def close(self) -> None: ...


class Matcher(Protocol):
    """Finds a fixed set of names in folded words."""

    def find(self, texts: Sequence[Sequence[str]]) -> list[set[int]]:
        """Return for the words of each text the positions (in the list of names) of the longest names among them."""

    def locate(self, words: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        """Return each name with the range of words it covers."""


class Linker(Protocol):
    """Says under which names a document is mentioned, and finds names in texts."""

    def names(self, title: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the surface keys of a document."""

    def runs(self, words: Sequence[str]) -> list[str]:
        """Return from each word on the longest key that could stand there; every key in a text begins one of them."""

    def matcher(self, keys: Sequence[str]) -> Matcher: ...


class DocumentReader(Protocol):
    """Reads documents from a file, one at a time; a record it cannot read is yielded as the error it would raise."""

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]: ...
