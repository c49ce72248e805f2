"""The PostgreSQL store: an index as one schema of a database, for many readers and one writer at a time.

A write is one transaction over documents, passages, postings, names, mentions and vectors. A view reads in a
transaction of its own that sees one generation; nothing has to catch up, because there is no cache beside the truth.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

from multihop.errors import EmbedderMismatch
from multihop.index.stores.postgres import address as addresses
from multihop.index.stores.postgres import checks, citus, filters, lock, schema
from multihop.index.stores.postgres.connecting import Connection, Connections, Snapshot, Snapshots
from multihop.index.stores.postgres.lexical import Statistics
from multihop.index.stores.postgres.packing import part_of, restored, stored
from multihop.index.stores.postgres.view import PostgresView, Seen
from multihop.index.stores.postgres.writing import Change
from multihop.index.stores.sqlite.filters import key
from multihop.index.stores.sqlite.schema import storable
from multihop.index.stores.sqlite.view import metadata_from
from multihop.protocols import Divided, Embedder, Linker, Progress
from multihop.types import Changed, Check, Document, Listed, Relation, Stats, Where

_DOCUMENTS = """
    SELECT id, title, metadata FROM document WHERE id > %s AND (id ILIKE %s OR title ILIKE %s) ORDER BY id LIMIT %s"""
_GREW = 5000
"""After so many new passages the server is asked to look at its tables again."""


class PostgresStore:
    """An index on a server. Safe to use from several threads and processes; one of them writes at a time."""

    def __init__(
        self,
        address: str,
        linker: Linker,
        *,
        create: bool = False,
        embedder: Embedder | None = None,
        wait: float = 0.0,
        distribute: bool = False,
    ) -> None:
        self.address = addresses.read(address)
        self._linker = linker
        self._wait = wait
        self._threads = threading.RLock()
        self._connections = Connections(self.address)
        self._snapshots = Snapshots(self._connections)
        try:
            with self._connections.lent() as connection:
                if distribute:
                    citus.require(connection, self.address)
                if create:
                    schema.bring_up(connection, self.address)
                schema.check(connection, self.address)
                if distribute:
                    citus.distribute(connection, self.address)
            self._embedder = self._agree_on(embedder, create)
            self._generation = -1
            self._statistics = Statistics(self._snapshot().meta)
        except BaseException:
            self.close()
            raise

    # --- reading ---

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    @property
    def recorded_embedder(self) -> str | None:
        with self._connections.lent() as connection:
            found = connection.execute("SELECT value FROM meta WHERE key = 'embedder'").fetchone()
        return found[0] if found else None

    @property
    def location(self) -> str:
        return self.address.shown

    @property
    def writable(self) -> bool:
        # Rights may change at any time; the server refuses a write that is not allowed.
        return True

    @property
    def dimension(self) -> int | None:
        """How long the stored vectors are; None where there are none."""
        with self._connections.lent() as connection:
            found = connection.execute("SELECT vector_dims(data) FROM embedding LIMIT 1").fetchone()
        return found[0] if found else None

    def _snapshot(self) -> Snapshot:
        snapshot = self._snapshots.open(self._generation)
        self._generation = max(self._generation, snapshot.generation)
        return snapshot

    def view(self, where: Where | None = None) -> PostgresView:
        snapshot = self._snapshot()
        statistics = self._statistics
        if statistics.generation != snapshot.generation:
            statistics = Statistics(snapshot.meta)
            if snapshot.generation == self._generation:
                self._statistics = statistics
        passing = filters.passing(snapshot, where) if where else None
        seen = Seen(statistics, key(where) if where else "", self.get_blob)
        return PostgresView(snapshot, seen, self._linker, self._embedder, passing)

    def refresh(self) -> int:
        """Look at the newest generation."""
        return self._snapshot().generation

    def document(self, id: str) -> Document | None:
        if not storable(id):
            return None
        snapshot = self._snapshot()
        found = snapshot.rows("SELECT title, aliases, metadata, text, first FROM document WHERE id = %s", (stored(id),))
        if not found:
            return None
        title, aliases, metadata, body, first = found[0]
        if body is None:
            [(body,)] = snapshot.rows(
                "SELECT text FROM passage WHERE number = %s AND part = %s", (first, part_of(first))
            )
        known = tuple(json.loads(restored(aliases)))
        return Document(id, restored(body), restored(title), metadata_from(restored(metadata)), known)

    def document_ids(self) -> Iterator[str]:
        snapshot, last = self._snapshot(), ""
        while batch := snapshot.rows("SELECT id FROM document WHERE id > %s ORDER BY id LIMIT 5000", (last,)):
            yield from (restored(id) for (id,) in batch)
            last = batch[-1][0]

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        if not (storable(after) and storable(starts)):
            return []
        pattern = re.sub(r"([\\%_])", r"\\\1", stored(starts)) + "%"
        rows = self._snapshot().rows(_DOCUMENTS, (stored(after), pattern, pattern, limit))
        return [Listed(restored(id), restored(title), metadata_from(restored(data))) for id, title, data in rows]

    def stats(self) -> Stats:
        return checks.stats(self._snapshot(), self.address.schema)

    def nodes(self) -> list[str]:
        """Say on which nodes the index lies and in how many shards; one line, that of the server, without Citus."""
        with self._connections.lent() as connection:
            return citus.nodes(connection, self.address)

    # --- writing ---

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
        """Add or replace documents; a very long stream is committed in transactions that grow with the index."""
        self._refuse_without_embedder()
        stream = iter(documents)
        with self._writing() as connection:
            total = Changed(generation=self._generation)
            while True:
                # Linking old passages to new names costs a pass over the old ones: let each pass pay for a big step.
                size = max(500_000, self._statistics.passages)
                part = self._apply(connection, partial(Change.add, documents=islice(stream, size), progress=progress))
                total = Changed(
                    total.documents + part.documents, total.replaced + part.replaced,
                    total.passages + part.passages, part.generation,
                )  # fmt: skip
                if part.documents < size:
                    break
            self._tend(connection, total.passages)
            return total

    def delete(self, ids: Iterable[str]) -> Changed:
        with self._writing() as connection:
            return self._apply(connection, partial(Change.delete, ids=list(dict.fromkeys(ids))))

    def relate(self, relations: Iterable[Relation], *, replace: bool = False) -> int:
        with self._writing() as connection:
            before = 0 if replace else _relations(connection)
            self._apply(connection, partial(Change.relate, relations=relations, replace=replace))
            return _relations(connection) - before

    def put_blob(self, name: str, data: bytes) -> None:
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO kept VALUES (%s, %s, %s) ON CONFLICT (name) DO UPDATE"
                " SET generation = excluded.generation, data = excluded.data",
                (name, self._generation, data),
            )

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        with self._connections.lent() as connection:
            found = (
                connection.cursor(binary=True)
                .execute("SELECT generation, data FROM kept WHERE name = %s", (name,))
                .fetchone()
            )
        return (found[0], bytes(found[1])) if found else None

    def _apply(self, connection: Connection, work: partial[None]) -> Changed:
        """Run one change as one transaction."""
        connection.execute("BEGIN")
        change = Change(connection, self._linker, self._embedder)
        work(change)
        if not (change.documents or change.relations):
            connection.execute("ROLLBACK")
            return Changed(generation=self._generation)
        done = change.finish()
        connection.execute("COMMIT")
        self._generation = done.generation
        return done

    def _tend(self, connection: Connection, passages: int) -> None:
        """After much has come: statistics for the planner, and the approximate index once comparing all is slow."""
        if passages >= _GREW:
            connection.execute(f"ANALYZE {', '.join(schema.BY_PART + schema.BY_ID + schema.EVERYWHERE)}")
        checks.build_missing(connection, self._embedder)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with (
            self._threads,
            self._connections.lent() as connection,
            lock.writing(connection, self.address, self._wait),
        ):
            yield connection

    def verify(self, repair: bool = True) -> list[Check]:
        """Check that nothing dangles and that postings and statistics agree with the passages; repair the latter."""
        found = checks.verify(self._snapshot(), self._embedder)
        if repair and not all(check.ok for check in found):
            with self._writing() as connection:
                checks.repair(connection, self._embedder)
                connection.execute("UPDATE meta SET value = (value::bigint + 1)::text WHERE key = 'generation'")
            return checks.repaired(found, checks.verify(self._snapshot(), self._embedder))
        return found

    def close(self) -> None:
        """Let go of the server. Everything is committed already."""
        self._snapshots.close()
        self._connections.close()

    # --- the embedder ---

    def _agree_on(self, embedder: Embedder | None, create: bool) -> Embedder | None:
        """Refuse an embedder that is not the one whose vectors the index holds; remember the first one."""
        known = self.recorded_embedder
        if embedder is None or known == embedder.identity:
            return embedder
        where = f"the index {self.address.index!r} at {self.address.shown!r}"
        if known is not None:
            raise EmbedderMismatch(
                f"{where} holds vectors of {known!r}, not of {embedder.identity!r}; "
                f"open it with {known!r}, or index the corpus again"
            )
        with self._writing() as connection:
            [(passages,)] = connection.execute("SELECT value::bigint FROM meta WHERE key = 'passages'").fetchall()
            if not create or passages:
                raise EmbedderMismatch(
                    f"{where} was built without an embedder and holds no vectors; "
                    f"open it without one, or index the corpus again with {embedder.identity!r}"
                )
            connection.execute(
                "INSERT INTO meta VALUES ('embedder', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (embedder.identity,),
            )
        return embedder

    def _refuse_without_embedder(self) -> None:
        known = self.recorded_embedder
        if known is not None and self._embedder is None:
            raise EmbedderMismatch(
                f"the index {self.address.index!r} at {self.address.shown!r} holds vectors of {known!r}; "
                "open it with that embedder to add documents"
            )


def _relations(connection: Connection) -> int:
    [(count,)] = connection.execute("SELECT count(*) FROM relation").fetchall()
    return int(count)
