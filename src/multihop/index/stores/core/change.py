"""One change of an index, inside one transaction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from multihop import text
from multihop.index.stores.core import lost_relations
from multihop.index.stores.core.documents import check_storable, storable
from multihop.index.stores.core.linking import BATCH, Linking
from multihop.index.stores.core.rows import NewDocument, NewPassage, Removed, WriteRows
from multihop.index.streams import ignore_progress, in_batches
from multihop.protocols import Divided, Edit, Embedder, Forgotten, Linker, Progress, Removal, Vectors, embed_texts
from multihop.types import Changed, Relation, SourceFile

_EMBED_BATCH = 256
_IN_MEMORY = 5000
"""New passages that stay in memory until they are linked and embedded; beyond that they are read again."""


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
        self._unrelated: set[str] = set()
        self._noted = False
        self._deleted = 0
        self._reused = 0
        # A batch holds vectors twice, of what it deletes and of what it replaces: these are two batches, not a corpus.
        self._held: deque[dict[int, Vectors]] = deque(maxlen=4)

    @property
    def empty(self) -> bool:
        """True when no document and no relation was changed, so that there is no new generation."""
        return not (self._documents or self._deleted or self._relations)

    @property
    def end(self) -> str:
        """Commit an empty change, which may have recorded files or relations."""
        return "COMMIT" if self._noted else "ROLLBACK"

    def delete(self, ids: Iterable[str]) -> None:
        for batch in in_batches(filter(storable, dict.fromkeys(ids)), BATCH):
            self._documents += self._remove(batch)

    def run(self, edits: Iterable[Edit], progress: Progress | None = None) -> None:
        """Apply edits: of each batch first deletions, then additions, then files."""
        self._progress = progress or ignore_progress
        for batch in in_batches(edits, BATCH):
            gone = [id for edit in batch if isinstance(edit, Removal) for id in edit.ids if storable(id)]
            # First what goes: a document that was moved is deleted under its old id, and its vectors serve the new one.
            if gone:
                self._hold(gone, moved=True)
                self._deleted += self._remove(gone)
            if added := [edit for edit in batch if isinstance(edit, tuple)]:
                self._insert(added)
            files = [edit for edit in batch if isinstance(edit, SourceFile)]
            lost = [(edit.folder, edit.path) for edit in batch if isinstance(edit, Forgotten)]
            self._rows.drop_files(lost)
            self._rows.put_files(files)
            self._noted |= bool(files or lost)
            self._progress("reading", self._documents, None)

    def relate(self, relations: Iterable[Relation], *, replace: bool, settles: int) -> None:
        """Store relations; those of unknown passages are passed over."""
        if replace:
            self._relations += self._rows.delete_relations()
        # Whoever brings these relations has looked again at what was lost up to `settles`.
        lost = lost_relations.unpack(self._rows.read_blob(lost_relations.BLOB))
        left = {id: generation for id, generation in lost.items() if generation > settles and not replace}
        if left != lost:
            self._noted = True
            self._rows.write_blob(lost_relations.BLOB, lost_relations.pack(left))
        for batch in in_batches(relations, BATCH):
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
        if self._unrelated:
            lost = lost_relations.unpack(self._rows.read_blob(lost_relations.BLOB)) | dict.fromkeys(
                sorted(self._unrelated), generation
            )
            self._rows.write_blob(lost_relations.BLOB, lost_relations.pack(lost))
        return Changed(self._documents, self._replaced, self._added, generation)

    def _insert(self, batch: Sequence[Divided]) -> None:
        # Of several documents with one id the last counts, wherever the batches are cut.
        last = {document.id: (document, pieces) for document, pieces in batch}
        for document, _ in last.values():
            check_storable(document)
        self._hold(list(last))
        self._replaced += self._remove(list(last)) + len(batch) - len(last)
        self._documents += len(batch)
        names = self._linker.names
        passages = self._rows.insert([NewDocument(d, p, names(d.title, d.aliases)) for d, p in last.values()])
        self._added += len(passages)
        self._reuse(passages)
        if self._new is not None:
            self._new += passages
            if len(self._new) > _IN_MEMORY:
                self._new = None

    def _remove(self, ids: Sequence[str]) -> int:
        removed: Removed = self._rows.remove(ids)
        self._linking.forget(removed)
        self._unrelated.update(removed.unrelated)
        self._removed += len(removed.passages)
        # One change may add a document and then replace or delete it.
        if self._new and removed.passages:
            gone = set(removed.passages)
            self._new = [passage for passage in self._new if passage.number not in gone]
        return removed.documents

    def _passages(self) -> Iterator[NewPassage]:
        """Return the passages of this change, from memory or, when they are many, from the database."""
        return iter(self._new) if self._new is not None else self._rows.new_passages()

    def _embed(self) -> None:
        if self._embedder is None:
            return
        done = 0
        for batch in in_batches(self._without_vectors(), _EMBED_BATCH):
            vectors = embed_texts(self._embedder, [text.to_embed(p.title, p.heading, p.body) for p in batch])
            self._rows.insert_vectors([p.number for p in batch], vectors)
            done += len(batch)
            self._progress("embedding", done, self._added - self._reused)

    # --- vectors of passages that stay as they were ---

    def _hold(self, documents: Sequence[str], *, moved: bool = False) -> None:
        """Keep the vectors of documents about to be deleted, for new passages with the same text.

        What `moved` may come back under another title, which its file name gave it; its vectors are kept for that.
        """
        if self._embedder is None:
            return
        vectors: dict[int, Vectors] = {}
        for title, heading, body, vector in self._rows.vectors_of(documents):
            vectors[hash((title, heading, body))] = vector
            if moved:
                vectors[hash((heading, body))] = vector
        # Those of the batch before, too: a document may go at the end of one batch and come back in the next.
        self._held.append(vectors)

    def _reuse(self, passages: Sequence[NewPassage]) -> None:
        if not any(self._held):
            return
        known = {key: vector for held in self._held for key, vector in held.items()}
        reused: list[tuple[int, Vectors]] = []
        for p in passages:
            vector = known.get(hash((p.title, p.heading, p.body)))
            vector = known.get(hash((p.heading, p.body))) if vector is None else vector
            reused += [(p.number, vector)] if vector is not None else []
        if reused:
            self._rows.insert_vectors([number for number, _ in reused], np.stack([vector for _, vector in reused]))
            self._reused += len(reused)

    def _without_vectors(self) -> Iterator[NewPassage]:
        if not self._reused:
            yield from self._passages()
            return
        for batch in in_batches(self._passages(), BATCH):
            missing = set(self._rows.without_vectors([p.number for p in batch]))
            yield from (p for p in batch if p.number in missing)
