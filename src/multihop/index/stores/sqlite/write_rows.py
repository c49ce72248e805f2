"""Row operations of one SQLite transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import starmap
from typing import Any

from multihop.index.stores.core.documents import attributes, dump_aliases, dump_metadata, text_beside
from multihop.index.stores.core.rows import NewDocument, NewPassage, Pair, Removed
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import LexicalSearcher, Writer
from multihop.index.stores.sqlite.vectors import Vectors, pack, unpack
from multihop.index.streams import in_batches
from multihop.types import Relation, SourceFile

_READ = "SELECT p.row, d.title, p.heading, p.text FROM passage p JOIN document d ON d.row = p.document"
_VECTORS_OF = """
    SELECT d.title, p.heading, p.text, v.data FROM document d JOIN passage p ON p.document = d.row
    JOIN vector v ON v.passage = p.row WHERE d.id IN (?)"""
_LAST_BEFORE = """
    SELECT run.value, (SELECT key FROM surface WHERE key <= run.value ORDER BY key DESC LIMIT 1)
    FROM json_each(?) AS run"""
_RUNS = 10_000


def passages_after(connection: schema.Connection, row: int) -> Iterator[NewPassage]:
    """Read the passages behind a row, in order."""
    return starmap(NewPassage, connection.execute(f"{_READ} WHERE p.row > ? ORDER BY p.row", (row,)))


def names_in(connection: schema.Connection, runs: Collection[str]) -> dict[str, int]:
    """Return the rows of the names that one of these runs of words begins with, sorted by name.

    A name that begins a run of words also begins every name that sorts between the two. So the last name that does not
    sort after the run tells how far to look: as many words as the two share. That is a few looks into the sorted names
    instead of one for every beginning of a run.
    """
    beginnings = {b for some in in_batches(sorted(runs), _RUNS) for b in _shared_beginnings(connection, some)}
    names = schema.select_in(connection, "SELECT key, row FROM surface WHERE key IN (?)", beginnings)
    return dict(sorted(names))


def _shared_beginnings(connection: schema.Connection, runs: Sequence[str]) -> Iterator[str]:
    for run, last in connection.rows(_LAST_BEFORE, (json.dumps(runs),)):
        shared: list[str] = []
        for ours, theirs in zip(run.split(" "), (last or "").split(" "), strict=False):
            if ours != theirs:
                break
            shared.append(ours)
            yield " ".join(shared)


def put_files(connection: schema.Connection, files: Iterable[SourceFile]) -> None:
    rows = ((f.folder, f.path, f.size, f.modified, f.digest, f.recipe, f.problem) for f in files)
    connection.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


class SqliteWriteRows:
    """One change of the documents, and of the lexical cache beside them."""

    def __init__(self, connection: schema.Connection, lexical: Writer, searcher: LexicalSearcher) -> None:
        self._connection = connection
        self._lexical = lexical
        self._searcher = searcher
        self._generation = schema.generation(connection) + 1
        self._next_document = self._meta("next_document")
        self.first = self._next = self._meta("next_passage")
        self._last_name = self.name_count()

    @property
    def last(self) -> int:
        """The row of the last passage that was ever stored."""
        return self._next - 1

    # --- documents ---

    def insert(self, documents: Sequence[NewDocument]) -> list[NewPassage]:
        rows: list[tuple[Any, ...]] = []
        passages: list[tuple[Any, ...]] = []
        metadata: list[tuple[Any, ...]] = []
        names: list[tuple[int, str]] = []
        new: list[NewPassage] = []
        for document, pieces, keys in documents:
            row = self._next_document
            self._next_document += 1
            whole = text_beside(document, pieces)
            rows.append((row, document.id, document.title, dump_aliases(document), dump_metadata(document), whole))
            for position, piece in enumerate(pieces):
                id = f"{document.id}#{position}"
                passages.append((self._next, id, row, position, piece.heading, piece.text, piece.page))
                new.append(NewPassage(self._next, document.title, piece.heading, piece.text))
                self._next += 1
            metadata += [(field, value, row) for field, value in attributes(document)]
            names += [(row, key) for key in keys]
        many = self._connection.executemany
        many("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)", rows)
        many("INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?, ?)", passages)
        many("INSERT OR IGNORE INTO attribute VALUES (?, ?, ?)", metadata)
        many("INSERT OR IGNORE INTO surface (key) VALUES (?)", ((key,) for _, key in names))
        many("INSERT OR IGNORE INTO name SELECT row, ? FROM surface WHERE key = ?", names)
        return new

    def remove(self, ids: Sequence[str]) -> Removed:
        documents = self._column("SELECT row FROM document WHERE id IN (?)", ids)
        if not documents:
            return Removed()
        passages = self._column("SELECT row FROM passage WHERE document IN (?)", documents)
        mentioned = self._column("SELECT surface FROM mention WHERE passage IN (?)", passages)
        names = self._column("SELECT surface FROM name WHERE document IN (?)", documents)
        others = {
            number
            for end, other in (("source", "target"), ("target", "source"))
            for number in self._column(f"SELECT {other} FROM relation WHERE {end} IN (?)", passages)
        }
        unrelated = self._column("SELECT id FROM passage WHERE row IN (?)", sorted(others.difference(passages)))
        for table, column in (("mention", "passage"), ("vector", "passage"), ("relation", "source"),
                              ("relation", "target"), ("passage", "row")):  # fmt: skip
            self._column(f"DELETE FROM {table} WHERE {column} IN (?)", passages)
        for table, column in (("attribute", "document"), ("name", "document"), ("document", "row")):
            self._column(f"DELETE FROM {table} WHERE {column} IN (?)", documents)
        self._connection.executemany("INSERT INTO removed VALUES (?, ?)", [(p, self._generation) for p in passages])
        # What this change added itself is not in the lexical cache yet.
        self._lexical.remove(p for p in passages if p < self.first)
        return Removed(len(documents), passages, names, mentioned, unrelated)

    def read(self, passages: Sequence[int]) -> Iterator[NewPassage]:
        return starmap(NewPassage, schema.select_in(self._connection, f"{_READ} WHERE p.row IN (?)", passages))

    def new_passages(self) -> Iterator[NewPassage]:
        return passages_after(self._connection, self.first - 1)

    def index(self, passages: Sequence[NewPassage]) -> None:
        for passage in passages:
            self._lexical.add(passage.number, passage.words)

    def insert_vectors(self, passages: Sequence[int], vectors: Vectors) -> None:
        packed = [(passage, pack(vector)) for passage, vector in zip(passages, vectors, strict=True)]
        self._connection.executemany("INSERT INTO vector VALUES (?, ?)", packed)

    def vectors_of(self, documents: Sequence[str]) -> Iterator[tuple[str, str, str, Vectors]]:
        rows = schema.select_in(self._connection, _VECTORS_OF, documents)
        return ((title, heading, body, unpack(data)) for title, heading, body, data in rows)

    def without_vectors(self, passages: Sequence[int]) -> set[int]:
        return set(passages).difference(self._column("SELECT passage FROM vector WHERE passage IN (?)", passages))

    def put_files(self, files: Sequence[SourceFile]) -> None:
        put_files(self._connection, files)

    def drop_files(self, files: Sequence[tuple[str, str]]) -> None:
        self._connection.executemany("DELETE FROM file WHERE folder = ? AND path = ?", files)

    # --- names ---

    def earlier_count(self) -> int:
        return self._searcher.size

    def earlier(self) -> Iterator[NewPassage]:
        return starmap(NewPassage, self._connection.execute(f"{_READ} WHERE p.row < ? ORDER BY p.row", (self.first,)))

    def name_count(self) -> int:
        return int(self._connection.execute("SELECT coalesce(max(row), 0) FROM surface").fetchone()[0])

    def new_names(self) -> list[str]:
        return [k for (k,) in self._connection.execute("SELECT key FROM surface WHERE row > ?", (self._last_name,))]

    def all_names(self) -> dict[str, int]:
        return dict(self._connection.execute("SELECT key, row FROM surface ORDER BY row"))

    def names_in(self, runs: Collection[str]) -> dict[str, int]:
        return names_in(self._connection, runs)

    def drop_unused_names(self, names: Collection[int]) -> tuple[list[int], list[int]]:
        used = self._column("SELECT DISTINCT surface FROM name WHERE surface IN (?)", names)
        unused = sorted(set(names).difference(used))
        users = self._column("SELECT passage FROM mention WHERE surface IN (?)", unused)
        self._column("DELETE FROM mention WHERE surface IN (?)", unused)
        self._column("DELETE FROM surface WHERE row IN (?)", unused)
        return unused, users

    def with_words_of(self, names: Sequence[str]) -> Iterator[int]:
        return (row for name in names for row in self._searcher.holding(name.split(" ")).tolist())

    def mentions(self, passages: Sequence[int]) -> Iterator[Pair]:
        sql = "SELECT passage, surface FROM mention WHERE passage IN (?)"
        return schema.select_in(self._connection, sql, passages)

    def insert_mentions(self, mentions: Sequence[Pair]) -> None:
        self._connection.executemany("INSERT INTO mention VALUES (?, ?)", mentions)

    def delete_mentions(self, mentions: Sequence[Pair]) -> None:
        self._connection.executemany("DELETE FROM mention WHERE passage = ? AND surface = ?", mentions)

    def add_spread(self, changes: Sequence[Pair]) -> None:
        counts = ((count, name) for name, count in changes)
        self._connection.executemany("UPDATE surface SET spread = spread + ? WHERE row = ?", counts)

    # --- relations ---

    def passage_numbers(self, ids: Collection[str]) -> dict[str, int]:
        return dict(schema.select_in(self._connection, "SELECT id, row FROM passage WHERE id IN (?)", ids))

    def delete_relations(self) -> int:
        return self._connection.execute("DELETE FROM relation").rowcount

    def insert_relations(self, relations: Sequence[tuple[int, int, Relation]]) -> None:
        rows = ((s, t, r.kind, r.confidence, r.evidence, r.method) for s, t, r in relations)
        self._connection.executemany("INSERT OR REPLACE INTO relation VALUES (?, ?, ?, ?, ?, ?)", rows)

    def read_blob(self, name: str) -> bytes:
        row = self._connection.execute("SELECT data FROM kept WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else b""

    def write_blob(self, name: str, data: bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, self._generation, data))

    # --- counters ---

    def finish(self, added: int, removed: int) -> int:
        # Before this change the lexical cache had caught up, so it needs no older removals.
        self._connection.execute("DELETE FROM removed WHERE generation < ?", (self._generation,))
        generation, next_document, next_passage = self._generation, self._next_document, self._next
        counters = {"generation": generation, "next_document": next_document, "next_passage": next_passage}
        self._connection.executemany("UPDATE meta SET value = ? WHERE key = ?", ((v, k) for k, v in counters.items()))
        return generation

    def _meta(self, key: str) -> int:
        return int(self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0])

    def _column(self, sql: str, values: Collection[object]) -> list[Any]:
        return [row[0] for row in schema.select_in(self._connection, sql, values)]
