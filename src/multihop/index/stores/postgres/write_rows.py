"""Row operations of one transaction on the server."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from multihop.index.stores.core.documents import attributes, dump_aliases, dump_metadata, text_beside
from multihop.index.stores.core.linking import BATCH
from multihop.index.stores.core.rows import NewDocument, NewPassage, Removed
from multihop.index.stores.postgres import packing, schema, vectors
from multihop.index.stores.postgres.name_rows import BY_NUMBER, Numbered, PostgresNameRows
from multihop.index.stores.postgres.packing import PART, escape_nul, part_of, parts, unescape_nul
from multihop.index.stores.postgres.postings import Postings
from multihop.index.stores.postgres.statements import Connection, copy_packed, copy_rows
from multihop.index.streams import in_batches
from multihop.protocols import Vectors
from multihop.types import Relation, SourceFile

_VECTOR_ROW = struct.Struct(">hiiiqi")
_RELATE = """
    INSERT INTO relation (part, source, target, kind, confidence, evidence, method) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (source, target, kind, part) DO UPDATE SET confidence = excluded.confidence,
    evidence = excluded.evidence, method = excluded.method"""
_PUT_BLOB = """
    INSERT INTO kept VALUES (%s, %s, %s)
    ON CONFLICT (name) DO UPDATE SET generation = excluded.generation, data = excluded.data"""
_PUT_FILE = """
    INSERT INTO file (folder, path, size, modified, digest, recipe, problem) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (folder, path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
    digest = excluded.digest, recipe = excluded.recipe, problem = excluded.problem"""
_VECTORS_OF = """
    SELECT p.title, p.heading, p.text, v.data FROM passage p JOIN embedding v ON v.part = p.part AND v.number = p.number
    WHERE p.number = ANY(%s::bigint[]) AND p.part = ANY(%s::integer[])"""
_SPANS = "SELECT id, first, passages FROM document WHERE id = ANY(%s)"


def put_files(connection: Connection, files: Iterable[SourceFile]) -> None:
    rows = [
        (*map(escape_nul, (f.folder, f.path)), f.size, f.modified, *map(escape_nul, (f.digest, f.recipe, f.problem)))
        for f in files
    ]
    if rows:
        connection.cursor().executemany(_PUT_FILE, rows)


def put_blob(connection: Connection, name: str, generation: int, data: bytes) -> None:
    connection.execute(_PUT_BLOB, (name, generation, data))


class PostgresWriteRows(PostgresNameRows):
    """One change of the tables of an index."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._postings = Postings(connection, self._first)

    @property
    def first(self) -> int:
        return self._first

    # --- documents ---

    def insert(self, documents: Sequence[NewDocument]) -> list[NewPassage]:
        if len(documents) == BATCH and self._next == self._first:
            # Much is coming: a part of its own is copied faster than an older one is added to.
            self._first = self._next = -(-self._next // PART) * PART
        numbered: list[Numbered] = []
        for new in documents:
            numbered.append((new, self._next))
            self._next += len(new.pieces)
        passages = self._insert_passages(numbered)
        self._insert_documents(numbered)
        self._insert_attributes(numbered)
        self._insert_names(numbered)
        return passages

    def _insert_passages(self, numbered: Sequence[Numbered]) -> list[NewPassage]:
        rows: list[tuple[Any, ...]] = []
        passages: list[NewPassage] = []
        for (document, pieces, _), first in numbered:
            id, title, metadata = (
                escape_nul(document.id),
                escape_nul(document.title),
                escape_nul(dump_metadata(document)),
            )
            for position, piece in enumerate(pieces):
                passage = NewPassage(first + position, document.title, piece.heading, piece.text)
                counts = packing.count_terms(passage.words)
                length = self._postings.add(passage.number, len(passage.words), counts)
                passages.append(passage)
                rows.append(
                    (part_of(passage.number), passage.number, id, position, title, escape_nul(piece.heading),
                     escape_nul(piece.text), metadata, length, packing.pack_terms(counts), piece.page)
                )  # fmt: skip
        types = ["int4", "int8", "text", "int4", "text", "text", "text", "text", "int2", "bytea", "int4"]
        copy_rows(self._connection, "passage", types, rows)
        return passages

    def _insert_documents(self, numbered: Sequence[Numbered]) -> None:
        rows = []
        for (document, pieces, _), first in numbered:
            texts = (document.title, dump_aliases(document), dump_metadata(document))
            whole = text_beside(document, pieces)
            rows.append(
                (escape_nul(document.id), first, len(pieces), *map(escape_nul, texts), whole and escape_nul(whole))
            )
        copy_rows(self._connection, "document", ["text", "int8", "int4", "text", "text", "text", "text"], rows)

    def _insert_attributes(self, numbered: Sequence[Numbered]) -> None:
        rows: list[tuple[Any, ...]] = []
        for (document, pieces, _), first in numbered:
            for field, value in dict.fromkeys(attributes(document)):
                words, number = (escape_nul(value), None) if isinstance(value, str) else (None, Decimal(value))
                rows += [(part_of(n), n, escape_nul(field), words, number) for n in range(first, first + len(pieces))]
        if rows:
            copy_rows(self._connection, "attribute", ["int4", "int8", "text", "text", "numeric"], rows)

    def remove(self, ids: Sequence[str]) -> Removed:
        spans = self._spans(list(map(escape_nul, ids)))
        if not spans:
            return Removed()
        numbers = [n for _, first, count in spans for n in range(first, first + count)]
        documents = [id for id, _, _ in spans]
        mentioned = [name for _, name in self.mentions(numbers)]
        named = self._connection.execute("SELECT surface FROM name WHERE document = ANY(%s)", (documents,))
        names = [name for (name,) in named]
        # Their terms are worked out again from the texts, while these are still there.
        self._postings.remove((p.number, len(p.words), packing.count_terms(p.words)) for p in self.read(numbers))
        for table in ("mention", "embedding", "attribute", "passage"):
            self._connection.execute(f"DELETE FROM {table} WHERE {BY_NUMBER}", (numbers, parts(numbers)))
        others: set[int] = set()
        for end, other in (("source", "target"), ("target", "source")):
            of_these = f"FROM relation WHERE {end} = ANY(%s::bigint[])"
            others.update(n for (n,) in self._connection.execute(f"SELECT {other} {of_these}", (numbers,)))
            self._connection.execute(f"DELETE {of_these}", (numbers,))
        self._connection.execute("DELETE FROM name WHERE document = ANY(%s)", (documents,))
        self._connection.execute("DELETE FROM document WHERE id = ANY(%s)", (documents,))
        return Removed(len(spans), numbers, names, mentioned, self._ids(sorted(others.difference(numbers))))

    def _spans(self, documents: Sequence[str]) -> list[tuple[Any, ...]]:
        """Look up where the passages of documents begin and how many they are."""
        return self._connection.execute(_SPANS, (documents,)).fetchall()

    def _ids(self, numbers: Sequence[int]) -> list[str]:
        sql = f"SELECT document, position FROM passage WHERE {BY_NUMBER}"
        rows = self._connection.execute(sql, (numbers, parts(numbers))) if numbers else ()
        return [f"{unescape_nul(document)}#{position}" for document, position in rows]

    def new_passages(self) -> Iterator[NewPassage]:
        return self._between(self._first, self._next)

    def insert_vectors(self, passages: Sequence[int], vectors: Vectors) -> None:
        rows = (_vector_row(number, vector) for number, vector in zip(passages, vectors, strict=True))
        copy_packed(self._connection, "embedding", [b"".join(rows)])

    def vectors_of(self, documents: Sequence[str]) -> Iterator[tuple[str, str, str, Vectors]]:
        spans = self._spans(list(map(escape_nul, documents)))
        for numbers in in_batches((n for _, first, count in spans for n in range(first, first + count)), BATCH):
            rows = self._connection.cursor(binary=True).execute(_VECTORS_OF, (numbers, parts(numbers)))
            for *texts, data in rows:
                title, heading, body = map(unescape_nul, texts)
                yield title, heading, body, vectors.unpack([data])[0]

    def without_vectors(self, passages: Sequence[int]) -> set[int]:
        held = self._connection.execute(
            f"SELECT number FROM embedding WHERE {BY_NUMBER}", (list(passages), parts(passages))
        )
        return set(passages).difference(number for (number,) in held)

    # --- files ---

    def put_files(self, files: Sequence[SourceFile]) -> None:
        put_files(self._connection, files)

    def drop_files(self, files: Sequence[tuple[str, str]]) -> None:
        for folder, path in files:
            self._connection.execute(
                "DELETE FROM file WHERE folder = %s AND path = %s", (escape_nul(folder), escape_nul(path))
            )

    # --- relations ---

    def passage_numbers(self, ids: Collection[str]) -> dict[str, int]:
        documents = sorted({escape_nul(id.rpartition("#")[0]) for id in ids})
        known: dict[str, int] = {}
        for document, first, count in self._spans(documents):
            known |= {f"{unescape_nul(document)}#{position}": first + position for position in range(count)}
        return {id: known[id] for id in ids if id in known}

    def read_blob(self, name: str) -> bytes:
        sql = "SELECT data FROM kept WHERE name = %s"
        row = self._connection.cursor(binary=True).execute(sql, (name,)).fetchone()
        return bytes(row[0]) if row else b""

    def write_blob(self, name: str, data: bytes) -> None:
        put_blob(self._connection, name, 0, data)

    def delete_relations(self) -> int:
        return self._connection.execute("DELETE FROM relation").rowcount

    def insert_relations(self, relations: Sequence[tuple[int, int, Relation]]) -> None:
        rows = [
            (part_of(source), source, target, r.kind, r.confidence, escape_nul(r.evidence), escape_nul(r.method))
            for source, target, r in relations
        ]
        self._connection.cursor().executemany(_RELATE, rows)

    # --- counters ---

    def finish(self, added: int, removed: int) -> int:
        self._postings.finish()
        self._meta["generation"] += 1
        self._meta["next_passage"] = self._next
        self._meta["next_surface"] = self._next_name
        self._meta["passages"] += added - removed
        self._meta["words"] += self._postings.words
        self._connection.execute(
            "UPDATE meta SET value = c.value FROM unnest(%s::text[], %s::text[]) AS c(key, value)"
            " WHERE meta.key = c.key",
            (list(self._meta), [str(v) for v in self._meta.values()]),
        )
        schema.stamp(self._connection, self._meta["generation"])
        return self._meta["generation"]


def _vector_row(number: int, vector: Vectors) -> bytes:
    data = vectors.pack(vector)
    return _VECTOR_ROW.pack(3, 4, part_of(number), 8, number, len(data)) + data
