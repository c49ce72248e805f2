"""The PostgreSQL store: an index as one schema of a database, for many readers and one writer at a time.

A write is one transaction over documents, passages, postings, names, mentions and vectors. A view reads in a
transaction of its own that sees one generation; nothing has to catch up, because there are no caches beside the tables.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg
from psycopg import sql

from multihop.errors import StoreError
from multihop.index.stores.core.adding import add_in_steps
from multihop.index.stores.core.change import Change
from multihop.index.stores.core.checks import after_repair
from multihop.index.stores.core.documents import load_aliases, load_metadata, prefix_pattern, storable
from multihop.index.stores.core.embedding import LoadEmbedder, agreed_embedder, require_embedder
from multihop.index.stores.core.filters import filter_key
from multihop.index.stores.core.view import IndexView
from multihop.index.stores.postgres import address as addresses, checks, citus, faults, filters, lock, schema, shards
from multihop.index.stores.postgres.connections import Connections, Snapshot, Snapshots
from multihop.index.stores.postgres.direct import DirectSnapshot
from multihop.index.stores.postgres.lexical import Statistics
from multihop.index.stores.postgres.packing import escape_nul, parts, unescape_nul
from multihop.index.stores.postgres.read_rows import PostgresReadRows
from multihop.index.stores.postgres.statements import Connection, value
from multihop.index.stores.postgres.write_rows import PostgresWriteRows, put_blob, put_files
from multihop.protocols import Divided, Edit, Embedder, Linker, Progress, dimension_of
from multihop.types import Changed, Check, Document, Listed, Note, Relation, Scalar, SourceFile, Stats, Where

_DOCUMENTS = """
    SELECT id, title, metadata FROM $document WHERE id > %s AND (id ILIKE %s OR title ILIKE %s) ORDER BY id LIMIT %s"""
_WHOLE = "SELECT id, title, aliases, metadata, text, first FROM $document WHERE id = ANY(%s)"
_TEXTS = "SELECT number, text FROM $passage p WHERE number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
_VALUES = """
    SELECT a.words, a.value, count(DISTINCT p.document)
    FROM $attribute a JOIN $passage p ON p.part = a.part AND p.number = a.number WHERE a.field = %s
    GROUP BY a.words, a.value ORDER BY 3 DESC, a.value NULLS LAST, a.words COLLATE "C" LIMIT %s"""
_FILES = "SELECT folder, path, size, modified, digest, recipe, problem FROM file WHERE folder = %s"
_IDS_WITH = """
    SELECT DISTINCT p.document COLLATE "C" FROM $attribute a
    JOIN $passage p ON p.part = a.part AND p.number = a.number
    WHERE a.field = %s AND left(a.words, 64) COLLATE "C" = %s AND a.words = %s AND p.document COLLATE "C" > %s
    ORDER BY 1 LIMIT %s"""
_ASK_AGAIN = 60.0
"""Seconds to wait for a server that went away in the middle of a commit."""
_MOVED = "a shard of the index was moved during a change, which was undone; try again when nothing moves"
_GREW = 5000
"""New passages after which the server is asked to analyze its tables again."""


class PostgresStore:
    """An index on a server. Safe to use from several threads and processes; one of them writes at a time."""

    def __init__(
        self,
        address: str,
        linker: Linker,
        *,
        create: bool = False,
        embedder: Embedder | None = None,
        load_embedder: LoadEmbedder | None = None,
        wait: float = 0.0,
        distribute: bool = False,
    ) -> None:
        self.address = addresses.parse_address(address)
        self._linker = linker
        self._wait = wait
        self._threads = threading.RLock()
        self._connections = Connections(self.address)
        self._snapshots = Snapshots(self._connections)
        try:
            with self._connections.use() as connection:
                if distribute:
                    citus.require(connection, self.address)
                if create and schema.version(connection, self.address) < schema.VERSION:
                    citus.require_coordinator(connection, self.address)
                    if embedder is not None:
                        dimension_of(embedder)  # refused before anything is made
                    schema.bring_up(connection, self.address, embedder.identity if embedder else None)
                schema.check(connection, self.address)
                if distribute or (create and citus.incomplete(connection, self.address)):
                    citus.require_coordinator(connection, self.address)
                    with lock.writing(connection, self.address, wait):
                        citus.distribute(connection, self.address)
            record = self._record_embedder if create else lambda _: False
            self._embedder = agreed_embedder(self._label, embedder, self.recorded_embedder, record, load_embedder)
            self._generation = -1
            self._statistics = Statistics(self._snapshot().meta)
        except BaseException:
            # The caller gets no store to close, and the threads of the pool would go on.
            self.close()
            raise

    @classmethod
    def exists(cls, address: str) -> bool:
        """Return whether there is an index at an address."""
        with _connect(address) as (place, connection):
            return schema.version(connection, place) > 0

    @classmethod
    def remove_unused(cls, address: str) -> None:
        """Remove an index without a single change, unless somebody is writing to it."""
        with suppress(StoreError), _connect(address) as (place, connection), lock.writing(connection, place, 0.0):
            if schema.version(connection, place) and not schema.generation(connection):
                connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(place.schema)))

    # --- reading ---

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    @property
    def recorded_embedder(self) -> str | None:
        identity: str | None = self._value("SELECT value FROM meta WHERE key = 'embedder'")
        return identity

    @property
    def location(self) -> str:
        return self.address.shown

    def beside(self, name: str) -> str:
        return addresses.beside(self.address, name)

    @property
    def writable(self) -> bool:
        # Rights may change at any time; the server refuses a write that is not allowed.
        return True

    @property
    def dimension(self) -> int | None:
        """How long the stored vectors are; None where there are none."""
        size: int | None = self._value("SELECT vector_dims(data) FROM embedding LIMIT 1")
        return size

    def _value(self, sql: str) -> Any:
        return self._connections.read(lambda connection: value(connection, sql))

    def _snapshot(self, kind: type[Snapshot] = Snapshot) -> Snapshot:
        snapshot = self._snapshots.open(self._generation, kind)
        self._generation = max(self._generation, snapshot.generation)
        return snapshot

    def _whole_snapshot(self) -> Snapshot:
        """Open a snapshot of everything; raises while nodes are away, also where a part would do for questions."""
        snapshot = self._snapshot()
        if snapshot.away:
            raise StoreError(f"nodes of the cluster at {self.address.shown!r} are away: {', '.join(snapshot.away)}")
        return snapshot

    def view(self, where: Where | None = None) -> IndexView:
        snapshot = self._snapshot(DirectSnapshot if self.address.direct else Snapshot)
        if snapshot.away:
            return self._partial_view(snapshot, where)
        statistics = self._statistics
        if statistics.meta != snapshot.meta:
            statistics = Statistics(snapshot.meta)
            # An earlier generation, which this view shares with others, does not displace the newest.
            if snapshot.generation == self._generation:
                self._statistics = statistics
        passing = filters.passing(snapshot, where) if where else None
        rows = PostgresReadRows(snapshot, statistics, passing)
        return IndexView(rows, statistics.cache, self._linker, self._embedder, self.get_blob, filter_key(where))

    def _partial_view(self, snapshot: Snapshot, where: Where | None) -> IndexView:
        """Show what lies on the nodes that are there, as a filter would; what is read so is cached for itself."""
        passing = filters.passing(snapshot, where) if where else filters.Passing()
        statistics = Statistics(snapshot.meta)
        rows = PostgresReadRows(snapshot, statistics, passing)
        away, whole = ", ".join(snapshot.away), int(snapshot.meta["passages"])
        there = PostgresReadRows(snapshot, statistics, filters.Passing()).size
        text = f"nodes of the cluster are away ({away}): only {there:,} of {whole:,} passages were searched"
        note = Note("nodes-away", {"nodes": snapshot.away, "searched": there, "passages": whole}, text)
        key = f"without {away}: {filter_key(where)}"
        return IndexView(rows, statistics.cache, self._linker, self._embedder, self.get_blob, key, (note,))

    def refresh(self) -> int:
        """Look at the newest generation."""
        return self._snapshot().generation

    def document(self, id: str) -> Document | None:
        return self.get_documents([id]).get(id)

    def get_documents(self, ids: Sequence[str]) -> dict[str, Document]:
        wanted = [escape_nul(id) for id in ids if storable(id)]
        if not wanted:
            return {}
        snapshot = self._snapshot()
        rows = snapshot.rows(_WHOLE, (wanted,))
        # The text of a document that is one passage is not kept twice.
        firsts = [first for *_, body, first in rows if body is None]
        texts: dict[int, str] = dict(snapshot.rows(_TEXTS, (firsts, parts(firsts)))) if firsts else {}
        documents: dict[str, Document] = {}
        for key, title, aliases, metadata, body, first in rows:
            id, said = unescape_nul(key), texts.get(first) if body is None else body
            if said is None:
                away = ", ".join(snapshot.away)
                raise StoreError(f"the text of document {id!r} lies on a node that is away: {away}")
            known, held = load_aliases(unescape_nul(aliases)), load_metadata(unescape_nul(metadata))
            documents[id] = Document(id, unescape_nul(said), unescape_nul(title), held, known)
        return documents

    def document_ids(self) -> Iterator[str]:
        snapshot, last = self._snapshot(), ""
        while batch := snapshot.rows("SELECT id FROM $document WHERE id > %s ORDER BY id LIMIT 5000", (last,)):
            yield from (unescape_nul(id) for (id,) in batch)
            last = batch[-1][0]

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        if not (storable(after) and storable(starts)):
            return []
        pattern = prefix_pattern(escape_nul(starts))
        rows = self._snapshot().rows(_DOCUMENTS, (escape_nul(after), pattern, pattern, limit))
        return [
            Listed(unescape_nul(id), unescape_nul(title), load_metadata(unescape_nul(data))) for id, title, data in rows
        ]

    def field_values(self, field: str, limit: int) -> list[tuple[Scalar, int]]:
        if not storable(field):
            return []
        rows = self._snapshot().rows(_VALUES, (escape_nul(field), limit))
        return [(unescape_nul(words) if number is None else _number(number), count) for words, number, count in rows]

    def files(self, folder: str, after: str, limit: int) -> list[SourceFile]:
        return self._files(" AND path > %s ORDER BY path LIMIT %s", escape_nul(folder), escape_nul(after), limit)

    def files_at(self, folder: str, paths: Sequence[str]) -> dict[str, SourceFile]:
        files = self._files(" AND path = ANY(%s)", escape_nul(folder), [escape_nul(path) for path in paths])
        return {file.path: file for file in files}

    def _files(self, condition: str, *values: Any) -> list[SourceFile]:
        # Not through a snapshot: notes of files come without a generation of their own.
        rows = self._connections.read(lambda connection: connection.execute(_FILES + condition, values).fetchall())
        return [
            SourceFile(unescape_nul(folder), unescape_nul(path), size, modified, *map(unescape_nul, texts))
            for folder, path, size, modified, *texts in rows
        ]

    def ids_with(self, field: str, value: str, after: str, limit: int) -> list[str]:
        values = (escape_nul(field), escape_nul(value)[:64], escape_nul(value), escape_nul(after), limit)
        return [unescape_nul(id) for (id,) in self._snapshot().rows(_IDS_WITH, values)]

    def stats(self) -> Stats:
        return checks.stats(self._whole_snapshot(), self.address.schema)

    def nodes(self) -> list[str]:
        """Describe the nodes that hold the index, with their shards; without Citus one line, that of the server."""
        return self._connections.read(lambda connection: citus.nodes(connection, self.address))

    # --- writing ---

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
        """Add or replace documents; a very long stream is committed in transactions that grow with the index."""
        return self.edit(documents, progress)

    def edit(self, edits: Iterable[Edit], progress: Progress | None = None) -> Changed:
        """Add, delete and take note of files, in transactions that grow with the index."""
        require_embedder(self._label, self._embedder, self.recorded_embedder)
        with self._writing() as connection:
            total = add_in_steps(
                edits,
                lambda step: self._apply(connection, partial(Change.run, edits=step, progress=progress)),
                lambda: _passages(connection),
            )
            self._maintain(connection, total.passages)
            return total

    def put_files(self, files: Iterable[SourceFile]) -> None:
        with self._writing() as connection, connection.transaction():
            put_files(connection, files)

    def delete(self, ids: Iterable[str]) -> Changed:
        with self._writing() as connection:
            return self._apply(connection, partial(Change.delete, ids=ids))

    def relate(self, relations: Iterable[Relation], *, replace: bool = False, settles: int = -1) -> int:
        with self._writing() as connection:
            # Counted, because a relation that was there is overwritten and not a new one.
            before = 0 if replace else _relations(connection)
            self._apply(connection, partial(Change.relate, relations=relations, replace=replace, settles=settles))
            return _relations(connection) - before

    def put_blob(self, name: str, data: bytes) -> None:
        with self._writing() as connection:
            put_blob(connection, name, self._generation, data)

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        sql = "SELECT generation, data FROM kept WHERE name = %s"
        row = self._connections.read(lambda connection: connection.cursor(binary=True).execute(sql, (name,)).fetchone())
        return (row[0], bytes(row[1])) if row else None

    def _apply(self, connection: Connection, work: partial[None]) -> Changed:
        """Run one change as one transaction."""
        topology, before = self._connections.topology, ""
        connection.execute("BEGIN")
        if topology:
            self._wait_until_whole(connection)
            before = topology.now(connection)
        change = Change(PostgresWriteRows(connection), self._linker, self._embedder)
        try:
            work(change)
            if change.empty:
                connection.execute(change.end)
                return Changed(generation=self._generation)
            done = change.finish()
        except psycopg.errors.UniqueViolation as error:
            if topology and topology.now(connection) != before:
                raise StoreError(_MOVED) from error
            raise
        if topology and topology.now(connection) != before:
            # A statement that was planned before the move may have changed the copy that was left behind.
            raise StoreError(_MOVED)
        self._commit(connection, done.generation)
        self._generation = done.generation
        return done

    def _wait_until_whole(self, connection: Connection) -> None:
        """Wait until every node of a cluster shows the last change; a new one would cover up what is missing."""
        until = time.monotonic() + _ASK_AGAIN
        while not schema.shards_agree(connection):
            connection.execute("ROLLBACK")
            if time.monotonic() > until:
                raise StoreError(
                    f"the shards of {self._label} have been of different generations for {_ASK_AGAIN:.0f} seconds, so "
                    "nothing was changed: the last change is not committed everywhere; run on the coordinator: SELECT "
                    "recover_prepared_transactions(), and where that does not help, a shard was moved before it had "
                    "been committed, and the index must be built again"
                )
            with suppress(psycopg.errors.InsufficientPrivilege):
                # Citus does so itself, but only every minute.
                connection.execute("SELECT recover_prepared_transactions()")
            time.sleep(0.5)
            connection.execute("BEGIN")

    def _commit(self, connection: Connection, generation: int) -> None:
        """Commit; when the connection is lost over it, find out what became of the change and say what is true."""
        transaction = value(connection, "SELECT pg_current_xact_id()::text")
        try:
            connection.execute("COMMIT")
        except psycopg.Error as error:
            if not faults.is_connection_lost(error):
                raise
            status = self._status(transaction, generation)
            if status != "committed":
                raise faults.ConnectionLost(
                    f"the connection to {self.address.shown!r} was lost while a change was being committed; the server "
                    "has undone it, so try again"
                ) from error

    def _status(self, transaction: str, generation: int) -> str:
        """Ask the server, once it is there again, what became of a transaction."""
        until = time.monotonic() + _ASK_AGAIN
        while True:
            try:
                with self._connections.use() as connection:
                    status = value(connection, "SELECT pg_xact_status(%s::xid8)", (transaction,))
                # The server may still be about to notice that its client has gone.
                if status != "in progress":
                    return str(status)
            except StoreError as error:
                if time.monotonic() > until:
                    raise faults.ConnectionLost(
                        f"the connection to {self.address.shown!r} was lost while a change was being committed, and "
                        "the server cannot be asked whether it was; when it is back, run multihop stats: "
                        f"generation {generation} means that the change was made ({error})"
                    ) from error
            if time.monotonic() > until:
                return "in progress"
            time.sleep(0.1)

    def _maintain(self, connection: Connection, passages: int) -> None:
        """After much has come: statistics for the planner, and the approximate index once comparing all is slow."""
        if connection.closed:
            return  # lost after the last commit: what was to be written is written
        if passages >= _GREW:
            connection.execute(f"ANALYZE {', '.join(shards.BY_PART + shards.BY_ID + schema.EVERYWHERE)}")
        checks.build_missing(connection, self._embedder)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        # Threads take turns first, so that those that wait hold no connection.
        with (
            self._threads,
            self._connections.use() as connection,
            lock.writing(connection, self.address, self._wait),
        ):
            citus.require_coordinator(connection, self.address)
            yield connection

    def verify(self, repair: bool = True) -> list[Check]:
        """Check that nothing dangles and that postings and statistics agree with the passages; repair the latter."""
        before = checks.verify(self._whole_snapshot(), self._embedder)
        if repair and not all(check.ok for check in before):
            with self._writing() as connection:
                checks.repair(connection, self._embedder)
            return after_repair(before, checks.verify(self._snapshot(), self._embedder))
        return before

    def close(self) -> None:
        """Close the connections. Everything is committed already."""
        self._snapshots.close()
        self._connections.close()

    # --- the embedder ---

    @property
    def _label(self) -> str:
        return f"the index {self.address.index!r} at {self.address.shown!r}"

    def _record_embedder(self, identity: str) -> bool:
        with self._writing() as connection:
            if _passages(connection):
                return False
            connection.execute(
                "INSERT INTO meta VALUES ('embedder', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (identity,),
            )
        return True


def _passages(connection: Connection) -> int:
    return int(value(connection, "SELECT value FROM meta WHERE key = 'passages'"))


def _relations(connection: Connection) -> int:
    return int(value(connection, "SELECT count(*) FROM relation"))


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


@contextmanager
def _connect(address: str) -> Iterator[tuple[addresses.Address, Connection]]:
    place = addresses.parse_address(address)
    connections = Connections(place)
    try:
        with connections.use() as connection:
            yield place, connection
    finally:
        connections.close()
