"""Connections to the server: a pool of them, each set up the same way, and snapshots that borrow one for a while."""

from __future__ import annotations

import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, TypeVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg_pool import ConnectionPool, PoolTimeout

from multihop.errors import StoreError
from multihop.index.stores.postgres import faults, shards
from multihop.index.stores.postgres.address import Address
from multihop.index.stores.postgres.packing import INT4_ARRAY_OID, NAME_PARTS, PART
from multihop.index.stores.postgres.statements import (
    Connection as Connection,
    Merge,
    Rows as Rows,
    Statement as Statement,
    plain,
    value,
)

T = TypeVar("T")
EF_SEARCH = 100
PATIENCE = 10.0
"""Seconds to wait for a connection before saying that all are in use."""
_SHARE_AFTER = 0.25
_PAUSE = 0.002
_MOVES = 5
_ALL_IN_USE = "all connections are in use"
_DISAGREE = (
    "the nodes of the cluster at {!r} have shown different generations for {:.0f} seconds: a change whose coordinator "
    "was stopped is committed by Citus within citus.recover_2pc_interval (a minute by default), so try again; where a "
    "shard was split, let the owner open the index once with: multihop index --distribute"
)
_NAMED: dict[str, Any] = {"fallback_application_name": "multihop"}
"""So that whoever looks at the server's connections knows ours."""
# pgvector may have been made in any schema. On a cluster, the shards of a node are changed over one connection, so that
# a change sees what it has done before (docs/scaling.md).
_SETUP = """
    SELECT set_config('search_path', concat_ws(', ', quote_ident(%s), (
               SELECT quote_ident(nspname::text) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
               WHERE extname = 'vector'), 'public'), false),
           set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.ef_search', %s, false),
           set_config('jit', 'off', false), set_config('citus.multi_shard_modify_mode', 'sequential', false),
           set_config('citus.propagate_set_commands', 'local', false)"""
BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# What a connection was set to stays on the node it leads to; other nodes hear what is set inside a transaction.
LOCAL = (
    f"SET LOCAL hnsw.ef_search = {EF_SEARCH}",
    "SET LOCAL hnsw.iterative_scan = relaxed_order",
    "SET LOCAL jit = off",
)

# The driver and its pool warn of every connection that fails; we say so ourselves, once.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class _Raw(Loader):
    """Hands an integer[] over as it came: postings are many, and numpy reads them faster than Python would."""

    format = psycopg.pq.Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


def set_up(connection: Connection, schema: str) -> None:
    """Make a fresh connection one of ours."""
    connection.autocommit = True
    # A question sends the same few statements in every hop; the driver would prepare them at the fifth use.
    connection.prepare_threshold = 2
    connection.adapters.register_loader(INT4_ARRAY_OID, _Raw)
    connection.execute(_SETUP, (schema, str(EF_SEARCH)))


class Connections:
    """The connections of one store."""

    def __init__(self, address: Address) -> None:
        self.address = address
        # The first one is opened by hand: the pool would try again and again instead of saying what is wrong.
        with faults.explain_errors(address), psycopg.connect(address.connection, connect_timeout=10, **_NAMED) as first:
            set_up(first, address.schema)
            citus = value(first, shards.CITUS) is not None
        self.begin = (BEGIN, *LOCAL) if citus else (BEGIN,)
        self.topology = shards.Topology(self._beside, address.schema) if citus else None
        self._pool = self._open_pool()
        self._nodes: dict[shards.Place, ConnectionPool[Connection]] = {}
        self._owners: dict[Connection, ConnectionPool[Connection]] = {}
        self._lock = threading.Lock()
        self._left: SimpleQueue[Connection | None] = SimpleQueue()
        # The thread holds these two and not us, so that a store that nobody closes can be collected.
        self._taker = threading.Thread(target=_take_back, args=(self._owners, self._left), daemon=True)
        self._taker.start()

    def _open_pool(self, **place: Any) -> ConnectionPool[Connection]:
        """Open a pool of connections to the address, or to another node of its cluster."""
        schema = self.address.schema
        return ConnectionPool(
            self.address.connection,
            min_size=1,
            max_size=self.address.pool,
            kwargs=_NAMED | place,
            timeout=PATIENCE,
            reconnect_timeout=PATIENCE,
            configure=lambda connection: set_up(connection, schema),
            open=True,
        )

    def borrow_at(self, place: shards.Place) -> Connection:
        """Take a connection to one node of a cluster."""
        host, port = place
        with self._lock:
            if place not in self._nodes:
                self._beside(host, port).close()  # says what is wrong, where a pool would try again and again
                self._nodes[place] = self._open_pool(host=host, port=port)
            pool = self._nodes[place]
        connection = self._take_connection(pool, PATIENCE)
        if connection is None:
            self._beside(host, port).close()  # says so where the node is away
            pool.check()  # it may have been, until now
            connection = self._take_connection(pool, PATIENCE)
        if connection is None:
            raise PoolTimeout(_ALL_IN_USE)
        return connection

    def _beside(self, host: str, port: int) -> Connection:
        """Open a connection beside the pool, to one node of a cluster."""
        connection = psycopg.connect(self.address.connection, host=host, port=port, connect_timeout=10, **_NAMED)
        set_up(connection, self.address.schema)
        return connection

    def borrow(self, timeout: float | None = None) -> Connection:
        """Take a connection; before reporting that all are in use, wait for those that only garbage still holds."""
        connection = self._take_connection(self._pool, _SHARE_AFTER if timeout is None else timeout)
        if connection is None and timeout is None:
            gc.collect()
            connection = self._take_connection(self._pool, PATIENCE)
            if connection is None:
                # All are in use, or the server is away: one more attempt tells, and says why.
                psycopg.connect(self.address.connection, connect_timeout=2, **_NAMED).close()
        if connection is None:
            raise PoolTimeout(_ALL_IN_USE)
        return connection

    def _take_connection(self, pool: ConnectionPool[Connection], timeout: float) -> Connection | None:
        try:
            connection = pool.getconn(timeout)
            self._owners[connection] = pool
            return connection
        except PoolTimeout as error:
            # The pool keeps the error in a cycle, and the frames of the error would keep views alive.
            error.__traceback__ = None
            return None

    def give_back(self, *connections: Connection) -> None:
        """Return connections; from any thread and at any time, so also when a snapshot is collected."""
        for connection in connections:
            self._left.put(connection)

    @contextmanager
    def use(self) -> Iterator[Connection]:
        """Use a live connection outside any snapshot, with driver errors converted."""
        with faults.explain_errors(self.address):
            connection = self.borrow()
            try:
                ConnectionPool.check_connection(connection)
            except psycopg.Error:
                # A server that restarts ends idle connections.
                self.give_back(connection)
                self.renew()
                connection = self.borrow()
            try:
                yield connection
            finally:
                self.give_back(connection)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Read outside any snapshot, a second time if the connection was lost; `work` reads all it needs."""
        with faults.explain_errors(self.address):
            connection = self.borrow()
            try:
                return work(connection)
            except psycopg.Error as error:
                if not faults.is_connection_lost(error):
                    raise
            finally:
                self.give_back(connection)
        with self.use() as connection:
            return work(connection)

    def layout(self, connection: Connection) -> shards.ShardLayout:
        """Return where shards lie, as the node of this connection knows it."""
        return self.topology.layout(connection) if self.topology else shards.ShardLayout()

    def renew(self) -> None:
        """Throw away idle connections that died with the server."""
        for pool in (self._pool, *self._nodes.values()):
            pool.check()

    def close(self) -> None:
        if self.topology is not None:
            self.topology.close()
        self._left.put(None)
        self._taker.join(PATIENCE)
        for pool in (self._pool, *self._nodes.values()):
            pool.close(timeout=PATIENCE)


def _take_back(owners: dict[Connection, ConnectionPool[Connection]], left: SimpleQueue[Connection | None]) -> None:
    """End what is left open on a connection and give it to its pool.

    A thread of its own, because Python may collect snapshots anywhere, even inside the pool.
    """
    while (connection := left.get()) is not None:
        with suppress(psycopg.Error):
            status = connection.info.transaction_status
            if status == psycopg.pq.TransactionStatus.INERROR:
                # What was sent behind the statement that failed was not prepared, as the driver believes it was; this
                # makes it forget all that it has prepared, which `execute` does at the first of equal statements only.
                connection.rollback()
            elif status != psycopg.pq.TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        with suppress(psycopg.Error, ValueError):
            owners.pop(connection).putconn(connection)
        del connection  # while waiting for the next one, this would keep the last one alive


class Snapshot:
    """One generation of the index: a read-only transaction that sees no later change, whoever makes it.

    Threads that share a snapshot take turns. When the connection is lost, another one is opened in its place as long
    as the index is still of the same generation.
    """

    def __init__(self, connections: Connections, timeout: float | None = None) -> None:
        self._connections = connections
        self._turn = threading.Lock()
        self._beside: tuple[Connection, ...] = ()
        """Connections to other nodes, where they are read without Citus."""
        self._open(timeout)

    def _open(self, timeout: float | None = None) -> Connection:
        until = time.monotonic() + PATIENCE
        failures, pause = 0, _PAUSE
        while True:
            connection, self._beside = self._connections.borrow(timeout), ()
            try:
                if self._began(connection):
                    break
                self._connections.give_back(connection, *self._beside)
            except psycopg.Error as error:
                failures += 1
                # One attempt more where nodes may be left out: a connection that is lost cannot say which are away.
                again = faults.is_connection_lost(error) and (
                    failures <= 1 + self._connections.address.partial
                    # A server that shuts down ends its connections one by one.
                    or (connection.closed and time.monotonic() < until)
                )
                topology = self._connections.topology
                if again and topology and self._connections.address.partial and not connection.closed:
                    topology.leave_out(connection)
                self._connections.give_back(connection, *self._beside)
                if not again:
                    raise
                self._connections.renew()
                continue
            if time.monotonic() > until:
                raise StoreError(_DISAGREE.format(self._connections.address.shown, PATIENCE))
            time.sleep(pause)
            pause = min(2 * pause, 50 * _PAUSE)
        self.generation = int(self.meta["generation"])
        self._connection: Connection | None = connection
        self._end = weakref.finalize(self, self._connections.give_back, connection, *self._beside)
        self._end.atexit = False
        return connection

    def _began(self, connection: Connection) -> bool:
        """Begin a transaction; False where the nodes of a cluster do not show one generation."""
        self._layout = self._connections.layout(connection)
        with connection.pipeline():
            for statement in self._connections.begin:
                connection.execute(statement)
            meta = connection.execute("SELECT key, value FROM meta")
            stamps = [connection.execute(*each) for each in self._layout.stamps]
        self.meta: dict[str, str] = dict(meta.fetchall())
        agreed = shards.agree(int(self.meta["generation"]), self._layout, [each.fetchall() for each in stamps])
        if self._layout.away:
            most = max(int(self.meta["next_passage"]) // PART, NAME_PARTS - 1)
            parts = (most, list(self._layout.passages))
            self._parts = [part for (part,) in connection.execute(shards.PARTS_THERE, parts)]
        return self._stands(connection) and agreed

    @property
    def away(self) -> tuple[str, ...]:
        """The nodes whose passages and documents are left out."""
        return self._layout.away

    def documents_there(self, ids: Sequence[str]) -> list[str]:
        """Return those documents that do not lie on a node that is away."""
        if not (ids and self.away):
            return list(ids)
        return [id for (id,) in self.rows(shards.IDS_THERE, (list(ids), list(self._layout.documents)))]

    def _stands(self, connection: Connection) -> bool:
        """Return whether all shards lie where they lay when this snapshot began."""
        topology = self._connections.topology
        return topology is None or topology.stands(connection, self._layout)

    def rows(self, sql: str, values: Sequence[Any] = (), merge: Merge | None = None) -> Rows:
        """Run one statement and read all its rows."""
        return self.many([Statement(sql, values, merge)])[0]

    def many(self, statements: Sequence[Statement]) -> list[Rows]:
        """Run several statements in one round trip and read all their rows."""
        with self._turn, faults.explain_errors(self._connections.address):
            lost = False
            # A lost connection is replaced once; moves come in rows when a cluster is balanced.
            for _ in range(_MOVES):
                connection = self._connection or self._reopen()
                try:
                    results = self._run(connection, statements)
                    if not (self._through_citus(statements) and self._has_moved(connection, statements)):
                        return results
                    self.close()
                except psycopg.Error as error:
                    self.close()
                    again = faults.is_connection_lost(error) and not lost
                    if not (again or self._has_moved(connection, statements)):
                        raise
                    lost = lost or again
            raise StoreError("shards of the index were moving throughout the question; ask again")

    def _through_citus(self, statements: Sequence[Statement]) -> bool:
        """Return whether Citus chose the shards that were read."""
        return True

    def _has_moved(self, connection: Connection, statements: Sequence[Statement]) -> bool:
        """Return whether a shard that may have been read has moved: then what came of it may be nothing at all."""
        return any(map(shards.reads_shards, statements)) and not self._stands(connection)

    def _run(self, connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
        if self.away:
            written = [shards.restrict_to_parts(self._parts, each) for each in statements]
        else:
            written = [each._replace(sql=plain(each.sql)) for each in statements]
        # Cursors are binary: only so are postings handed over as they came (`_Raw`).
        if len(written) == 1:
            return [connection.cursor(binary=True).execute(*written[0][:2]).fetchall()]
        with connection.pipeline():
            cursors = [connection.cursor(binary=True).execute(each.sql, each.values) for each in written]
        # Outside: what is fetched before the end of a pipeline has to be asked for, which is a round trip more.
        return [cursor.fetchall() for cursor in cursors]

    def close(self) -> None:
        """Return the connection at once, also after an error, when its transaction is of no use any more."""
        self._connection = None
        self._end()

    def _reopen(self) -> Connection:
        # Half of an answer from one generation, or from some of the nodes, must not be completed from another.
        before = self.generation, self.away
        self._connections.renew()
        connection = self._open()
        if (self.generation, self.away) != before:
            self.close()
            self.generation = before[0]
            raise StoreError(
                "the connection was lost or a shard was moved during a question, and the "
                f"{'index has' if before[1] == self.away else 'nodes that can be read have'} changed since; ask again"
            )
        return connection


class Snapshots:
    """Opens snapshots. Each view has its own while there are connections; then those of one generation share."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._alive: weakref.WeakSet[Snapshot] = weakref.WeakSet()
        self._lock = threading.Lock()

    def open(self, least: int, kind: type[Snapshot] = Snapshot) -> Snapshot:
        """Open the newest generation, or share a snapshot that shows `least` or a later one."""
        with faults.explain_errors(self._connections.address):
            shared = self._find_shared(least)
            try:
                snapshot = kind(self._connections, _SHARE_AFTER if shared else None)
            except PoolTimeout:
                if shared := shared or self._find_shared(least):
                    return shared
                raise
            with self._lock:
                self._alive.add(snapshot)
            return snapshot

    def close(self) -> None:
        for snapshot in list(self._alive):
            snapshot.close()

    def _find_shared(self, least: int) -> Snapshot | None:
        with self._lock:
            fit = [s for s in self._alive if s.generation >= least]
        return max(fit, key=lambda s: s.generation, default=None)
