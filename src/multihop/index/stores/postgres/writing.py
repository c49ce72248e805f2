"""One change of an index on the server, inside one transaction."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from multihop import text
from multihop.index.stores.postgres import packing, vectors
from multihop.index.stores.postgres.connecting import Connection
from multihop.index.stores.postgres.links import BATCH, READ, Names
from multihop.index.stores.postgres.packing import PART, part_of, restored, stored
from multihop.index.stores.postgres.postings import Postings
from multihop.index.stores.sqlite.schema import pieces, storable
from multihop.index.stores.sqlite.writing import attributes_of, check_storable, dump
from multihop.protocols import Divided, Embedder, Linker, Progress
from multihop.types import Changed, Document, Piece, Relation

_EMBED_BATCH = 256
_REMEMBERED = 5000
"""So many new passages are kept in memory until they are linked; more are read again."""
_VECTOR_ROW = struct.Struct(">hiiiqi")
_RELATE = """
    INSERT INTO relation (part, source, target, kind, confidence, evidence, method) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (source, target, kind, part) DO UPDATE SET confidence = excluded.confidence,
    evidence = excluded.evidence, method = excluded.method"""


class New(NamedTuple):
    """A passage of this change."""

    number: int
    title: str
    heading: str
    body: str
    words: Sequence[str]


class Change:
    """A set of additions or deletions; `finish` links and embeds them and gives the change its generation."""

    def __init__(self, connection: Connection, linker: Linker, embedder: Embedder | None) -> None:
        self._connection = connection
        self._embedder = embedder
        self._meta = {k: int(v) for k, v in connection.execute("SELECT key, value FROM meta") if k != "embedder"}
        self._first = self._next = self._meta["next_passage"]
        self._names = Names(connection, linker, self._meta["next_surface"])
        self._postings = Postings(connection, self._first)
        self._new: list[New] | None = []
        self._progress: Progress = _silent
        self._replaced = 0
        self._passages = 0
        self._gone = 0
        self.documents = 0
        self.relations = 0

    # --- documents ---

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> None:
        self._progress = progress or _silent
        for batch in pieces(documents, BATCH):
            if len(batch) == BATCH and self._next == self._first:
                # Much is coming: a part of its own is copied faster than an older one is added to.
                self._first = self._next = -(-self._next // PART) * PART
            self._insert(batch)
            self._progress("reading", self.documents, None)

    def delete(self, ids: Sequence[str]) -> None:
        for batch in pieces([id for id in ids if storable(id)], BATCH):
            self.documents += self._remove([stored(id) for id in batch])

    def _insert(self, batch: Sequence[Divided]) -> None:
        last = {document.id: (document, pieces_) for document, pieces_ in batch}
        for document, _ in last.values():
            check_storable(document)
        self._replaced += self._remove([stored(id) for id in last]) + len(batch) - len(last)
        self.documents += len(batch)
        numbered: list[tuple[Document, int, Sequence[Piece]]] = []
        for document, pieces_ in last.values():
            numbered.append((document, self._next, pieces_))
            self._next += len(pieces_)
        self._copy_passages(numbered)
        self._copy_documents(numbered)
        self._copy_attributes(numbered)
        self._names.bear(dict(self._names_of(document for document, _, _ in numbered)))

    def _names_of(self, documents: Iterable[Document]) -> Iterator[tuple[tuple[str, str], bool]]:
        for document in documents:
            title = text.surface_key(document.title)
            for key in self._names.keys(document.title, document.aliases):
                yield (key, stored(document.id)), key == title

    def _copy_passages(self, numbered: Sequence[tuple[Document, int, Sequence[Piece]]]) -> None:
        rows: list[tuple[Any, ...]] = []
        for document, first, pieces_ in numbered:
            id, title, metadata = stored(document.id), stored(document.title), stored(dump(document))
            for position, piece in enumerate(pieces_):
                number = first + position
                words = text.passage_words(document.title, piece.heading, piece.text)
                counts = packing.counted(words)
                length = self._postings.add(number, len(words), counts)
                self._hold(New(number, document.title, piece.heading, piece.text, words))
                rows.append(
                    (part_of(number), number, id, position, title, stored(piece.heading), stored(piece.text), metadata,
                     length, packing.pack_terms(counts))
                )  # fmt: skip
        self._passages += len(rows)
        types = ["int4", "int8", "text", "int4", "text", "text", "text", "text", "int2", "bytea"]
        self._copy("passage", types, rows)

    def _copy_documents(self, numbered: Sequence[tuple[Document, int, Sequence[Piece]]]) -> None:
        rows = []
        for document, first, pieces_ in numbered:
            # The text is kept apart only where the passages do not hold it all.
            whole = None if len(pieces_) == 1 and pieces_[0].text == document.text else stored(document.text)
            aliases = stored(json.dumps(document.aliases)) if document.aliases else "[]"
            rows.append(
                (
                    stored(document.id),
                    first,
                    len(pieces_),
                    stored(document.title),
                    aliases,
                    stored(dump(document)),
                    whole,
                )
            )
        self._copy("document", ["text", "int8", "int4", "text", "text", "text", "text"], rows)

    def _copy_attributes(self, numbered: Sequence[tuple[Document, int, Sequence[Piece]]]) -> None:
        rows = []
        for document, first, pieces_ in numbered:
            held = dict.fromkeys((field, value) for field, value in attributes_of(document))
            for field, value in held:
                words, number = (stored(value), None) if isinstance(value, str) else (None, Decimal(value))
                rows += [
                    (part_of(n), n, stored(field), words, number) for n in range(first, first + len(pieces_))
                ]  # fmt: skip
        if rows:
            self._copy("attribute", ["int4", "int8", "text", "text", "numeric"], rows)

    def _copy(self, table: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _hold(self, passage: New) -> None:
        if self._new is not None:
            self._new.append(passage)
            if len(self._new) > _REMEMBERED:
                self._new = None

    def _remove(self, ids: Sequence[str]) -> int:
        """Take documents out with all that belongs to them; says how many were there."""
        found = self._connection.execute(
            "SELECT id, first, passages FROM document WHERE id = ANY(%s)", (list(ids),)
        ).fetchall()
        if not found:
            return 0
        numbers = [n for _, first, count in found for n in range(first, first + count)]
        parts = sorted({part_of(n) for n in numbers})
        documents = [id for id, _, _ in found]
        self._names.forget(documents, numbers, parts)
        self._postings.remove(self._counted(numbers, parts))
        belongs = "number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
        for table in ("mention", "embedding", "attribute", "passage"):
            self._connection.execute(f"DELETE FROM {table} WHERE {belongs}", (numbers, parts))
        self._connection.execute("DELETE FROM relation WHERE source = ANY(%s::bigint[])", (numbers,))
        self._connection.execute("DELETE FROM relation WHERE target = ANY(%s::bigint[])", (numbers,))
        self._connection.execute("DELETE FROM document WHERE id = ANY(%s)", (documents,))
        self._gone += len(numbers)
        if self._new is not None:
            gone = set(numbers)
            self._new = [passage for passage in self._new if passage.number not in gone]
        return len(found)

    def _counted(self, numbers: Sequence[int], parts: Sequence[int]) -> Iterator[tuple[int, int, dict[str, int]]]:
        for passage in self._read("number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])", (numbers, parts)):
            yield passage.number, len(passage.words), packing.counted(passage.words)

    # --- relations ---

    def relate(self, relations: Iterable[Relation], replace: bool) -> None:
        if replace:
            self.relations += self._connection.execute("DELETE FROM relation").rowcount
        for batch in pieces(relations, BATCH):
            numbers = self._numbers({end for relation in batch for end in relation.ends})
            known = [
                (part_of(numbers[r.source]), numbers[r.source], numbers[r.target], r.kind, r.confidence,
                 stored(r.evidence), stored(r.method))
                for r in batch
                if r.source in numbers and r.target in numbers
            ]  # fmt: skip
            if known:
                self._connection.cursor().executemany(_RELATE, known)
            self.relations += len(known)

    def _numbers(self, ids: Iterable[str]) -> dict[str, int]:
        places = {id: id.rpartition("#") for id in ids if storable(id)}
        documents = sorted({stored(document) for document, _, _ in places.values()})
        rows = self._connection.execute("SELECT id, first, passages FROM document WHERE id = ANY(%s)", (documents,))
        spans = {restored(id): range(first, first + count) for id, first, count in rows}
        known = {f"{d}#{i}": n for d, span in spans.items() for i, n in enumerate(span)}
        return {id: known[id] for id in places if id in known}

    # --- the end ---

    def finish(self) -> Changed:
        """Link, embed, and stamp; the caller commits."""
        self._postings.flush()
        before = self._meta["passages"]
        self._names.link_old(self._first, before, self._progress)
        total = self._passages
        if total:
            self._names.link_new(((p.number, p.words) for p in self._fresh()), total, self._progress)
            self._embed(total)
        self._names.finish()
        self._postings.finish()
        self._stamp()
        return Changed(self.documents, self._replaced, self._passages, self._meta["generation"])

    def _stamp(self) -> None:
        self._meta["generation"] += 1
        self._meta["next_passage"] = self._next
        self._meta["next_surface"] = self._names.next_surface
        self._meta["passages"] += self._passages - self._gone
        self._meta["words"] += self._postings.words
        self._connection.execute(
            "UPDATE meta SET value = c.value FROM unnest(%s::text[], %s::text[]) AS c(key, value)"
            " WHERE meta.key = c.key",
            (list(self._meta), [str(v) for v in self._meta.values()]),
        )

    def _fresh(self) -> Iterator[New]:
        """Give the passages of this change, from memory or, when they are many, from the server."""
        if self._new is not None:
            yield from self._new
            return
        for start in range(self._first, self._next, BATCH):
            end = min(start + BATCH, self._next)
            parts = sorted({part_of(start), part_of(end - 1)})
            yield from self._read(
                "number >= %s AND number < %s AND part = ANY(%s::integer[]) ORDER BY number", (start, end, parts)
            )

    def _read(self, condition: str, values: Sequence[Any]) -> Iterator[New]:
        for number, title, heading, body in self._connection.execute(READ + condition, values).fetchall():
            parts = restored(title), restored(heading), restored(body)
            yield New(number, *parts, text.passage_words(*parts))

    def _embed(self, total: int) -> None:
        if self._embedder is None:
            return
        done = 0
        for batch in pieces(self._fresh(), _EMBED_BATCH):
            found = self._embedder.embed([text.to_embed(p.title, p.heading, p.body) for p in batch])
            with self._connection.cursor().copy("COPY embedding FROM STDIN (FORMAT BINARY)") as copy:
                rows = (_vector_row(passage.number, vector) for passage, vector in zip(batch, found, strict=True))
                copy.write(packing.COPY_HEADER + b"".join(rows) + packing.COPY_END)
            done += len(batch)
            self._progress("embedding", done, total)


def _vector_row(number: int, vector: vectors.Vectors) -> bytes:
    data = vectors.packed(vector)
    return _VECTOR_ROW.pack(3, 4, part_of(number), 8, number, len(data)) + data


def _silent(stage: str, done: int, total: int | None) -> None:
    """Report progress to nobody."""
