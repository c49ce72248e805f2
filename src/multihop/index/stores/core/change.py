"""One change of an index, inside one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from multihop import text
from multihop.index.stores.core.documents import check_storable, storable
from multihop.index.stores.core.linking import BATCH, Linking
from multihop.index.stores.core.rows import NewDocument, NewPassage, Removed, WriteRows
from multihop.index.streams import batched, ignore_progress
from multihop.protocols import Divided, Embedder, Linker, Progress
from multihop.types import Changed, Relation

_EMBED_BATCH = 256
_IN_MEMORY = 5000
"""So many new passages stay in memory until they are linked and embedded; more are read again."""


class Change:
    """A set of additions or deletions; `finish` links and embeds them and gives the change its generation."""

    def __init__(self, rows: WriteRows, linker: Linker, embedder: Embedder | None) -> None:
        self._rows = rows
        self._linker = linker
        self._embedder = embedder
        self._linking = Linking(rows, linker)
        self._new: list[NewPassage] | None = []
        self._progress: Progress = ignore_progress
        self._documents = 0
        self._replaced = 0
        self._added = 0
        self._removed = 0
        self._relations = 0

    @property
    def empty(self) -> bool:
        """True when nothing was changed, so that nothing needs to be committed."""
        return not (self._documents or self._relations)

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> None:
        self._progress = progress or ignore_progress
        for batch in batched(documents, BATCH):
            self._insert(batch)
            self._progress("reading", self._documents, None)

    def delete(self, ids: Iterable[str]) -> None:
        for batch in batched(filter(storable, dict.fromkeys(ids)), BATCH):
            self._documents += self._remove(batch)

    def relate(self, relations: Iterable[Relation], *, replace: bool) -> None:
        """Store relations; those of unknown passages are passed over."""
        if replace:
            self._relations += self._rows.delete_relations()
        for batch in batched(relations, BATCH):
            numbers = self._rows.passage_numbers({end for r in batch for end in r.ends if storable(end)})
            known = [
                (numbers[r.source], numbers[r.target], r) for r in batch if r.source in numbers and r.target in numbers
            ]
            if known:
                self._rows.insert_relations(known)
            self._relations += len(known)

    def finish(self) -> Changed:
        """Link, embed, and stamp; the caller commits."""
        self._linking.link_earlier(self._rows.first, self._progress)
        if self._added:
            self._linking.link_new(self._passages(), self._added, self._progress)
            self._embed()
        self._linking.finish()
        generation = self._rows.finish(self._added, self._removed)
        return Changed(self._documents, self._replaced, self._added, generation)

    def _insert(self, batch: Sequence[Divided]) -> None:
        last = {document.id: (document, pieces) for document, pieces in batch}
        for document, _ in last.values():
            check_storable(document)
        self._replaced += self._remove(list(last)) + len(batch) - len(last)
        self._documents += len(batch)
        names = self._linker.names
        passages = self._rows.insert([NewDocument(d, p, names(d.title, d.aliases)) for d, p in last.values()])
        self._added += len(passages)
        if self._new is not None:
            self._new += passages
            if len(self._new) > _IN_MEMORY:
                self._new = None

    def _remove(self, ids: Sequence[str]) -> int:
        removed: Removed = self._rows.remove(ids)
        self._linking.forget(removed)
        self._removed += len(removed.passages)
        if self._new and removed.passages:
            gone = set(removed.passages)
            self._new = [passage for passage in self._new if passage.number not in gone]
        return removed.documents

    def _passages(self) -> Iterator[NewPassage]:
        """Give the passages of this change, from memory or, when they are many, from the database."""
        return iter(self._new) if self._new is not None else self._rows.added()

    def _embed(self) -> None:
        if self._embedder is None:
            return
        done = 0
        for batch in batched(self._passages(), _EMBED_BATCH):
            vectors = self._embedder.embed([text.to_embed(p.title, p.heading, p.body) for p in batch])
            self._rows.insert_vectors([p.number for p in batch], vectors)
            done += len(batch)
            self._progress("embedding", done, self._added)
