"""Copying an index from one store to another: documents, passages, vectors, relations and what was computed from them.

The target is filled in steps, each a transaction; documents that it already has unchanged are skipped, so a copy that
was interrupted continues where it stopped. At the end both are counted and compared by checksum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from multihop.errors import StoreError
from multihop.index.links import relations as relating
from multihop.index.stores.core.adding import add_in_steps
from multihop.index.streams import Seen, ignore_progress, in_batches
from multihop.models import adaptation
from multihop.profiles.signals import word2vec
from multihop.protocols import Divided, Embedder, Progress, Store, Vectors, View
from multihop.text import to_embed
from multihop.types import Passage, Piece, Relation

STEP = 50_000
"""Fewest passages of a transaction of the target, if there are that many."""
_BATCH = 500
_COPIED = (word2vec.NAME, word2vec.STAMP, adaptation.NAME)
_ALL = 2**31  # passages_of wants a limit: one that no document reaches


class Opener(Protocol):
    """Opens one of the two stores, with an embedder or without."""

    def __call__(self, *, create: bool = False, embedder: Embedder | None = None) -> Store: ...


@dataclass
class StoredVectors:
    """Stand-in for the embedder of the source: returns the vector the source has stored for a text."""

    identity: str
    dimension: int
    view: View | None = None
    passages: dict[int, str] = field(default_factory=dict)
    """The passages being copied, by the digest of their text."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return the stored vectors of the passages with these texts."""
        if self.view is None:
            return np.zeros((len(texts), self.dimension), dtype=np.float32)
        return self.view.vectors([self.passages[digest(text)] for text in texts])


@dataclass(frozen=True, slots=True)
class Contents:
    """What an index holds: counts, and a checksum that does not depend on order."""

    documents: int
    passages: int
    vectors: int
    relations: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Copied:
    """The result of a copy: how many documents were copied, were there already, or were removed from the target."""

    copied: int
    unchanged: int
    removed: int
    contents: Contents


def copy(source: Opener, target: Opener, progress: Progress | None = None, step: int = STEP) -> Copied:
    """Make the target hold what the source holds; raises StoreError when they differ in the end."""
    carried = _stored_vectors(source, target)
    with closing(source(embedder=carried)) as origin, closing(target(create=True, embedder=carried)) as copy:
        return _Copy(origin, copy, carried, progress or ignore_progress).run(step)


def _stored_vectors(source: Opener, target: Opener) -> StoredVectors | None:
    """Return a stand-in for the embedder of the source, which need not be loaded."""
    identity, dimension = _embedding(source())
    if identity and not dimension:
        # The source has no document yet, or no longer, and the target may.
        dimension = _embedding(target(create=True))[1] or 1
    return StoredVectors(identity, dimension) if identity and dimension else None


def _embedding(store: Store) -> tuple[str | None, int | None]:
    with closing(store):
        return store.recorded_embedder, store.dimension


class _Copy:
    """One copy, from the first document to the last comparison."""

    def __init__(self, source: Store, target: Store, carried: StoredVectors | None, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._vectors = carried
        self._progress = progress
        self._view = source.view()
        if carried is not None:
            carried.view = self._view
        self._unchanged = 0

    def run(self, step: int) -> Copied:
        removed = self._remove()
        changed = self._documents_to_copy(self._target.view())
        copied = add_in_steps(changed, self._target.add, lambda: self._target.view().size, step).documents
        self._relate()
        ours, theirs = count_contents(self._view), count_contents(self._target.view())
        if ours != theirs:
            raise StoreError(
                f"the copy differs from its source: {theirs} instead of {ours}; was one of them written to "
                "meanwhile? Copy again"
            )
        # Last of all: what was computed from passages is right only for the very same ones.
        self._copy_blobs()
        return Copied(copied, self._unchanged, removed, ours)

    def _remove(self) -> int:
        """Delete what the source does not have."""
        # As hashes of eight bytes; should two ids ever share one, the comparison at the end notices what stayed.
        kept = Seen()
        for id in self._source.document_ids():
            kept.add(id)
        gone = [id for id in self._target.document_ids() if id not in kept]
        return self._target.delete(gone).documents if gone else 0

    def _documents_to_copy(self, there: View) -> Iterator[Divided]:
        """Yield the documents that the target lacks or has in another version, with their passages."""
        done = 0
        for batch in in_batches(self._source.document_ids(), _BATCH):
            ours, theirs = _passages(self._view, batch), _passages(there, batch)
            done += len(batch)
            self._progress("copying", done, None)
            documents = self._source.get_documents(batch)
            held = self._target.get_documents([id for id in batch if ours[id] == theirs[id]])
            same = [id for id in held if held[id] == documents.get(id)]
            changed = set(batch).difference(same) | self._with_other_vectors(
                there, [p for id in same for p in ours[id]]
            )
            for id in batch:
                if id in documents and id in changed:
                    yield documents[id], self._pieces(ours[id])
                else:
                    self._unchanged += 1

    def _with_other_vectors(self, there: View, passages: Sequence[Passage]) -> set[str]:
        """Return the documents of the passages whose vector differs in the target."""
        ids = [p.id for p in passages]
        equal = (self._view.vectors(ids) == there.vectors(ids)).all(axis=1)
        return {p.document_id for p, same in zip(passages, equal, strict=True) if not same}

    def _pieces(self, passages: Sequence[Passage]) -> list[Piece]:
        if self._vectors is not None:
            self._vectors.passages |= {digest(to_embed(p.title, p.heading, p.text)): p.id for p in passages}
        return [Piece(p.heading, p.text, p.page) for p in passages]

    def _relate(self) -> None:
        ours, theirs = (sum(map(digest, map(repr, all_relations(v)))) for v in (self._view, self._target.view()))
        if ours != theirs:
            self._target.relate(all_relations(self._view), replace=True)

    def _copy_blobs(self) -> None:
        """Copy what was computed from the passages: word vectors, the ledger of relations and the adaptation."""
        wanted = {name: (self._source.get_blob(name) or (0, b""))[1] for name in _COPIED}
        generation, noted = self._source.get_blob(relating.LEDGER) or (-1, b"")
        # What was noted of relations speaks of one generation; of an older one it would hide what was lost since.
        if generation == self._view.generation:
            wanted[relating.LEDGER] = relating.ledger_for_copy(noted, self._view, self._target.view()) or b""
        for name, data in wanted.items():
            # An adaptation that the source does not have goes; what else was computed stays right.
            if (data or name == adaptation.NAME) and (self._target.get_blob(name) or (0, b""))[1] != data:
                self._target.put_blob(name, data)


def count_contents(view: View) -> Contents:
    """Count everything in a view and compute its checksum."""
    seen = Seen()
    documents = passages = vectors = related = total = 0
    for batch in in_batches(view.scan(), _BATCH):
        rows = view.vectors([p.id for p in batch])
        for passage, row in zip(batch, rows, strict=True):
            documents += seen.add(passage.document_id)
            vectors += bool(row.any())
            total += digest(repr(passage), row.tobytes())
        passages += len(batch)
    for relation in all_relations(view):
        related += 1
        total += digest(repr(relation))
    return Contents(documents, passages, vectors, related, f"{total % 2**128:032x}")


def all_relations(view: View) -> Iterator[Relation]:
    """Yield every relation of a view, by source passage."""
    for batch in in_batches(view.scan(), _BATCH):
        yield from view.relations_from([p.id for p in batch])


def _passages(view: View, documents: Sequence[str]) -> dict[str, list[Passage]]:
    ids = view.passages_of(documents, _ALL)
    loaded = view.passages(id for members in ids.values() for id in members)
    return {d: [loaded[id] for id in ids.get(d, ())] for d in documents}


def digest(text: str, vector: bytes = b"") -> int:
    """Hash a text, with its vector where there is one."""
    data = text.encode("utf-8", "surrogatepass") + vector
    return int.from_bytes(hashlib.blake2b(data, digest_size=16).digest(), "big")
