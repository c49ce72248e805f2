"""Indexes of the documents that somebody may see, kept beside the index that holds all of them.

A filter hides documents but not their traces: the frequencies of words, the names that texts are linked by and the
number of documents that share a name would still be those of the whole index. So each set of rights is served from an
index that never held anything else. It is brought up to date before it is read, and only with what has changed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

from multihop.errors import InvalidFilter
from multihop.index.copying import StoredVectors, digest
from multihop.index.links.relations import RelationFinder
from multihop.index.links.rules import RULES
from multihop.index.locations import Location, looks_like_address
from multihop.index.stores.core.filters import filter_key
from multihop.index.stores.sqlite import lock
from multihop.index.streams import in_batches
from multihop.protocols import Divided, Edit, Removal, Store, View
from multihop.text import to_embed
from multihop.types import Piece, Where

OpenStore = Callable[..., Store]
"""Opens a store at a location: `create` to make it, `embedder` for its vectors."""
_STATE = "permitted"
_WAIT = 600.0
_BATCH = 500
_ALL = 2**31
NOTHING: Where = {"$ids": []}


class PermittedIndexes:
    """The indexes of what some may see, by filter."""

    def __init__(self, store: Store, open_store: OpenStore) -> None:
        self._store = store
        self._open = open_store
        self._known: dict[str, Store] = {}
        self._lock = threading.Lock()

    def store(self, where: Where) -> Store:
        """Open the index of what a filter lets through, as it is now; it is built at the first call."""
        key = hashlib.blake2b(f"{self._store.location}\n{filter_key(where)}".encode(), digest_size=10).hexdigest()
        place = self._store.beside(f"p{key}")
        with self._lock:
            known = self._known.get(key)
            generation = self._store.refresh()
            if known is None or _state(known)[0] != generation:
                with _alone(place, key):
                    self._update(place, where)
            if known is None:
                known = self._known[key] = self._open(place, embedder=self._store.embedder)
            return known

    def close(self) -> None:
        """Close the indexes that were opened."""
        for store in self._known.values():
            store.close()

    def _update(self, place: Location, where: Where) -> None:
        try:
            view = self._store.view(where)
        except InvalidFilter:
            # A field that no document has permits nothing, and says nothing of the fields there are.
            view = self._store.view(NOTHING)
        identity, dimension = self._store.recorded_embedder, self._store.dimension
        vectors = StoredVectors(identity, dimension or 1, view) if identity else None
        with closing(self._open(place, create=True, embedder=vectors)) as copy:
            generation, mark = _state(copy)
            if generation == view.generation:
                return
            new, mark = _since(view, mark)
            edits = list(_edits(self._store, view, copy, new, vectors))
            if edits:
                copy.edit(edits)
                if self._store.stats().relations:
                    RelationFinder(RULES, None).relate(copy)
            copy.put_blob(_STATE, json.dumps([view.generation, mark]).encode())


def _alone(place: Location, key: str) -> AbstractContextManager[None]:
    """Hold the lock of one such index among processes."""
    folder = Path(tempfile.gettempdir()) if looks_like_address(place) else Path(place).parent
    inner = folder / f"{key}.lock"
    inner.mkdir(parents=True, exist_ok=True)
    return lock.writing(inner, _WAIT)


def _state(copy: Store) -> tuple[int, int]:
    """Read up to which generation of the whole index, and which mark in it, a permitted one was brought."""
    _, data = copy.get_blob(_STATE) or (0, b"[-1, -1]")
    generation, mark = json.loads(data)
    return generation, mark


def _since(view: View, mark: int) -> tuple[set[str], int]:
    """Give the documents that came in after a mark, and the new mark."""
    new: set[str] = set()
    for each, passage in view.since(mark):
        new.add(passage.document_id)
        mark = max(mark, each)
    return new, mark


def _edits(store: Store, view: View, copy: Store, new: set[str], vectors: StoredVectors | None) -> Iterator[Edit]:
    held = set(copy.document_ids())
    permitted = {id for some in in_batches(store.document_ids(), _BATCH) for id in view.passages_of(some, 1)}
    if gone := sorted(held - permitted):
        yield Removal(tuple(gone))
    for batch in in_batches(sorted(permitted & new | permitted - held), _BATCH):
        yield from _divided(store, view, batch, vectors)


def _divided(store: Store, view: View, ids: Sequence[str], vectors: StoredVectors | None) -> Iterator[Divided]:
    """Give documents with their passages as they were cut."""
    places = view.passages_of(ids, _ALL)
    passages = view.passages(id for found in places.values() for id in found)
    documents = store.get_documents(ids)
    for id in ids:
        cut = [passages[place] for place in places.get(id, ())]
        if vectors is not None:
            vectors.passages |= {digest(to_embed(p.title, p.heading, p.text)): p.id for p in cut}
        if id in documents and cut:
            yield documents[id], [Piece(p.heading, p.text, p.page) for p in cut]
