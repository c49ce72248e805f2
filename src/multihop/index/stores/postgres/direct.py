"""Reading the shards of a cluster where they lie: every node is asked for its own, and the answers are joined here.

Citus plans each statement on the node that is asked, and each shard's part of it again where the shard lies; for the
small lookups of a question that is most of the work. Statements on the shards themselves are planned once for each
connection, and no node does more than look into its own tables.

A snapshot is a transaction on every node. Each shard's stamp is read as it begins, and all must be of the generation
of the index. What such a transaction sees stays as it is, also where a shard is moved meanwhile: it goes on reading the
copy that was left behind, and when that is gone, the snapshot is opened again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import lru_cache

from psycopg import errors as pg

from multihop.errors import StoreError
from multihop.index.stores.postgres import shards
from multihop.index.stores.postgres.connections import BEGIN, LOCAL, Rows, Snapshot
from multihop.index.stores.postgres.statements import (
    Connection,
    Merge,
    Statement,
    concatenate,
    plain,
    tables_of,
    with_tables,
)

_CHANGED = "the index was changed during a question that needs all nodes at once; ask again"


@lru_cache(maxsize=4096)
def with_shard_names(sql: str, tables: tuple[tuple[str, str], ...]) -> str | None:
    """Write a statement with the names that tables have on the nodes; None where one of them does not lie here."""
    names = dict(tables)
    return with_tables(sql, names) if tables_of(sql) <= names.keys() else None


class DirectSnapshot(Snapshot):
    """One generation of a distributed index, read on every node; as any other snapshot where it is on one server."""

    def _began(self, connection: Connection) -> bool:
        self._layout = self._connections.layout(connection)
        self._asks_citus = not self._layout.shards
        if self._asks_citus:
            return super()._began(connection)
        self._at = {shards.place_of(connection): connection}
        for place in sorted({shard.place for shard in self._layout.shards} - self._at.keys()):
            self._at[place] = self._connections.borrow_at(place)
            self._beside += (self._at[place],)
        meta = with_shard_names("SELECT key, value FROM $meta", self._layout.everywhere) or ""
        try:
            with self._together(self._at.values()):
                for each in self._at.values():
                    each.execute(BEGIN)
                cursor_of_meta = connection.execute(meta)
                stamps = [self._at[place].execute(sql) for place, sql in self._stamps()]
            self.meta = dict(cursor_of_meta.fetchall())
            generation = int(self.meta["generation"])
            if {row for cursor in stamps for row in cursor.fetchall()} == {(generation, generation)}:
                return True
        except pg.UndefinedTable:
            pass  # a shard that was moved away, and is gone
        self._stands(connection)  # where a shard has moved, the layout is looked up again
        return False

    def _stamps(self) -> Iterable[tuple[shards.Place, str]]:
        """Write for each node the statement that reads the generation of every shard; of none where one is empty."""
        written: defaultdict[shards.Place, list[str]] = defaultdict(list)
        for shard in self._layout.shards:
            for table, name in shard.tables:
                if table in shards.STAMPS:
                    written[shard.place].append(f"SELECT min(generation), max(generation) FROM {name}")
        return ((place, " UNION ALL ".join(each)) for place, each in written.items())

    @staticmethod
    def _together(connections: Iterable[Connection]) -> ExitStack:
        """Make connections send statements at once, so that all nodes work in parallel."""
        with ExitStack() as stack:
            for each in connections:
                stack.enter_context(each.pipeline())
            return stack.pop_all()

    def _through_citus(self, statements: Sequence[Statement]) -> bool:
        return self._asks_citus

    def _run(self, connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
        if not self._layout.shards:
            return super()._run(connection, statements)
        ways = [self._way(connection, each) for each in statements]
        used = {id(each): each for targets, _ in ways for each, _ in targets}
        with self._together(used.values()):
            sent = [
                [each.cursor(binary=True).execute(sql, statement.values) for each, sql in targets]
                for (targets, _), statement in zip(ways, statements, strict=True)
            ]
        results = [[row for cursor in cursors for row in cursor.fetchall()] for cursors in sent]
        return [
            merge(rows, statement.values) for (_, merge), rows, statement in zip(ways, results, statements, strict=True)
        ]

    def _way(self, connection: Connection, statement: Statement) -> tuple[list[tuple[Connection, str]], Merge]:
        """Return where to run a statement and how it reads there, and how the rows become those of the whole."""
        sql, merge = statement.sql, statement.merge
        if not shards.reads_shards(statement):
            return [(connection, with_shard_names(sql, self._layout.everywhere) or plain(sql))], concatenate
        asked = [(self._at[s.place], there) for s in self._layout.shards if (there := with_shard_names(sql, s.tables))]
        if merge and asked:
            return asked, merge
        self._reach_citus(connection)
        return [(connection, plain(sql))], concatenate

    def _reach_citus(self, connection: Connection) -> None:
        """Let Citus begin on the other nodes, for a statement whose rows cannot be joined here."""
        if self._asks_citus:
            return
        for statement in LOCAL:
            connection.execute(statement)
        # Citus begins on the other nodes only now, when they may show a later generation than our own connections do.
        stamps = [connection.execute(*each).fetchall() for each in self._layout.stamps]
        if not shards.agree(self.generation, self._layout, stamps):
            raise StoreError(_CHANGED)
        self._asks_citus = True
