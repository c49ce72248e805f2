"""Indexes derived from others: of the documents that somebody may see, and of several indexes together.

A filter hides documents but not their traces: the frequencies of words, the names that texts are linked by and the
number of documents that share a name would still be those of the whole index. So each set of rights is served from an
index that never held anything else. In the same way several indexes are asked as one that holds the documents of all:
links lead from one to another, and words count alike. A derived index is kept beside the index it is made from (the
first, of several), and brought up to date before it is read, only with what has changed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from multihop.errors import IndexReadOnly, InvalidFilter, cause
from multihop.index.checking import names_nobody
from multihop.index.copying import StoredVectors, digest
from multihop.index.links.relations import RelationFinder
from multihop.index.links.rules import RULES
from multihop.index.locations import Location, looks_like_address
from multihop.index.stores.core.filters import filter_key
from multihop.index.stores.sqlite import lock
from multihop.index.streams import in_batches
from multihop.protocols import Divided, Edit, Progress, Removal, Store, View
from multihop.text import to_embed
from multihop.types import Document, Piece, Where

OpenStore = Callable[..., Store]
"""Opens a store at a location: `create` to make it, `embedder` for its vectors."""
INDEX_FIELD = "index"
"""The metadata field that says which of several indexes a document is from."""
_STATE = "derived"
_WAIT = 600.0
_BATCH = 500
_ALL = 2**31
NOTHING: Where = {"$ids": []}


@dataclass(frozen=True, slots=True)
class Part:
    """The documents of an index that a filter lets through; with a name, they are marked with it."""

    store: Store
    where: Where | None = None
    name: str = ""

    @property
    def prefix(self) -> str:
        """What ids of documents begin with."""
        return f"{self.name}/" if self.name else ""

    def view(self) -> View:
        """Look at the documents."""
        try:
            return self.store.view(self.where)
        except InvalidFilter:
            # A field that no document has permits nothing, and says nothing of the fields there are.
            return self.store.view(NOTHING)

    def rename(self, document: Document) -> Document:
        """Return a document as it is called in the derived index."""
        if not self.name:
            return document
        metadata = {**document.metadata, INDEX_FIELD: self.name}
        for field in ("supersedes", "superseded_by"):
            if named := metadata.get(field):
                # An id of its own index, or a title anywhere.
                given = named if isinstance(named, tuple) else (named,)
                metadata[field] = (*given, *(f"{self.prefix}{each}" for each in given))
        return replace(document, id=self.prefix + document.id, metadata=metadata)


class DerivedIndexes:
    """The indexes that are kept beside a store."""

    def __init__(self, store: Store, open_store: OpenStore) -> None:
        self._store = store
        self._open = open_store
        self._known: dict[str, Store] = {}
        self._lock = threading.Lock()

    def open_restricted(self, where: Where) -> Store:
        """Open the index of what a filter lets through, as it is now; it is built at the first call."""
        # Not "p", as earlier versions called those that may hold documents with an empty list of readers.
        return self._derive("r", filter_key(where), (Part(self._store, where),))

    def open_combined(self, stores: Mapping[str, Store], progress: Progress | None = None) -> Store:
        """Open the index of the documents of several, as they are now, by name; it is built at the first call.

        It has vectors where all of them have those of one embedder.
        """
        said = [(name, store.location, store.recorded_embedder) for name, store in stores.items()]
        parts = tuple(Part(store, None, name) for name, store in stores.items())
        return self._derive("c", repr(said), parts, progress)

    def close(self) -> None:
        """Close the indexes that were opened."""
        for store in self._known.values():
            store.close()

    def _derive(self, kind: str, told: str, parts: Sequence[Part], progress: Progress | None = None) -> Store:
        key = hashlib.blake2b(f"{self._store.location}\n{told}".encode(), digest_size=10).hexdigest()
        place = self._store.beside(kind + key)
        with self._lock:
            known = self._known.get(kind + key)
            generations = {part.name: part.store.refresh() for part in parts}
            if known is None or {name: seen for name, (seen, _) in _state(known).items()} != generations:
                with _alone(place, key):
                    self._update(place, parts, progress)
            if known is None:
                embedder = self._store.embedder if _identity(parts) else None
                known = self._known[kind + key] = self._open(place, embedder=embedder)
            return known

    def _update(self, place: Location, parts: Sequence[Part], progress: Progress | None) -> None:
        changed = [self._update_part(place, part, parts, progress) for part in parts]
        if any(changed) and any(part.store.stats().relations for part in parts):
            with closing(self._open(place, embedder=_vectors(parts, None))) as copy:
                RelationFinder(RULES, None).relate(copy)

    def _update_part(self, place: Location, part: Part, parts: Sequence[Part], progress: Progress | None) -> bool:
        """Carry over what has changed in one part; tell whether anything has."""
        view = part.view()
        vectors = _vectors(parts, view)
        with closing(self._open(place, create=True, embedder=vectors)) as copy:
            state = _state(copy)
            generation, mark = state.get(part.name, (-1, -1))
            if generation == view.generation:
                return False
            new, mark = _since(view, mark)
            edits = _edits(part, view, copy, new, vectors)
            first = next(edits, None)
            if first is not None:
                copy.edit(chain((first,), edits), progress)
            copy.put_blob(_STATE, json.dumps({**state, part.name: (view.generation, mark)}).encode())
            return first is not None


def _identity(parts: Sequence[Part]) -> str | None:
    """Return the embedder of all parts, if it is one."""
    known = {part.store.recorded_embedder for part in parts}
    return known.pop() if len(known) == 1 else None


def _vectors(parts: Sequence[Part], view: View | None) -> StoredVectors | None:
    identity = _identity(parts)
    dimension = next((d for part in parts if (d := part.store.dimension)), 1)
    return StoredVectors(identity, dimension, view) if identity else None


def _alone(place: Location, key: str) -> AbstractContextManager[None]:
    """Hold the lock of one such index among processes."""
    folder = Path(tempfile.gettempdir()) if looks_like_address(place) else Path(place).parent
    inner = folder / f"{key}.lock"
    try:
        inner.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IndexReadOnly(
            f"the index needs to keep another one beside it, in {str(folder)!r}, which cannot be written: "
            f"{cause(error)}; allow it, or copy the index to where you may write: multihop copy"
        ) from error
    return lock.writing(inner, _WAIT)


def _state(copy: Store) -> dict[str, tuple[int, int]]:
    """Read up to which generation of each part, and which mark in it, a derived index was brought."""
    _, data = copy.get_blob(_STATE) or (0, b"{}")
    return {name: (generation, mark) for name, (generation, mark) in json.loads(data).items()}


def _since(view: View, mark: int) -> tuple[set[str], int]:
    """Return the documents added after a mark, and the new mark."""
    new: set[str] = set()
    for each, passage in view.since(mark):
        new.add(passage.document_id)
        mark = max(mark, each)
    return new, mark


def _edits(part: Part, view: View, copy: Store, new: set[str], vectors: StoredVectors | None) -> Iterator[Edit]:
    prefix = part.prefix
    held = {id.removeprefix(prefix) for id in copy.document_ids() if id.startswith(prefix)}
    permitted = {id for some in in_batches(part.store.document_ids(), _BATCH) for id in view.passages_of(some, 1)}
    if gone := sorted(held - permitted):
        yield Removal(tuple(prefix + id for id in gone))
    for batch in in_batches(sorted(permitted & new | permitted - held), _BATCH):
        yield from _divide_documents(part, view, batch, vectors)


def _divide_documents(part: Part, view: View, ids: Sequence[str], vectors: StoredVectors | None) -> Iterator[Divided]:
    """Yield documents with their passages as they were cut."""
    places = view.passages_of(ids, _ALL)
    passages = view.passages(id for found in places.values() for id in found)
    documents = part.store.get_documents(ids)
    for id in ids:
        cut = [passages[place] for place in places.get(id, ())]
        if vectors is not None:
            vectors.passages |= {digest(to_embed(p.title, p.heading, p.text)): p.id for p in cut}
        # A filter takes an empty list of readers for none, which would be everybody.
        if id in documents and cut and not (part.where and names_nobody(documents[id])):
            yield part.rename(documents[id]), [Piece(p.heading, p.text, p.page) for p in cut]
