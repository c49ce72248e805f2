"""Where the shards of an index lie, and the stamps that tell which generation each node shows.

Nodes of a cluster commit one after another, and a shard that moves is empty to whoever looked at its new node before.
Each shard therefore carries a stamp, a row with the generation, that is changed and moved with it. A snapshot reads
one stamp on every node when it begins, and asks after each reading whether a shard has moved since.

Where the user asks for it, what lies on nodes that do not answer is left out: statements are then kept to the parts
that lie elsewhere, and Citus sends them to no other node.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import psycopg

from multihop.index.stores.postgres.packing import Parts
from multihop.index.stores.postgres.statements import Connection, Statement, tables_of, value, with_tables

T = TypeVar("T")
Place = tuple[str, int]
"""Host and port of a node."""

BY_PART = ("passage", "attribute", "posting", "mention", "relation", "embedding", "surface", "name", "part_stamp")
"""What Citus distributes by part, side by side."""
BY_ID = ("document", "id_stamp")
STAMPS = ("part_stamp", "id_stamp")
CITUS = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
# Of the tables that lie side by side one will do: their shards move together.
_PLACED = """
    SELECT string_agg(p.shardid || ':' || p.groupid, ' ' ORDER BY p.shardid, p.groupid)
    FROM pg_dist_placement p JOIN pg_dist_shard s ON s.shardid = p.shardid
    JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname IN ('passage', 'document')"""
# The first number that falls into a shard stands for it: every process finds the same ones without reading any.
_STAMPS = """
    SELECT min(n), p.groupid FROM (
        SELECT n, get_shard_id_for_distribution_column(%s::regclass, n{cast}) AS shardid
        FROM generate_series(0, %s) AS n
    ) AS c JOIN pg_dist_placement p ON p.shardid = c.shardid GROUP BY c.shardid, p.groupid ORDER BY p.groupid, 1"""
_SHARDS = "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = %s::regclass"
_AWAY = """
    SELECT groupid, nodename || ':' || nodeport FROM pg_dist_node WHERE noderole = 'primary' AND isactive
    AND NOT citus_check_connection_to_node(nodename, nodeport) ORDER BY groupid"""
_THERE = """
    SELECT array_agg(p.shardid) FROM pg_dist_placement p JOIN pg_dist_shard s ON s.shardid = p.shardid
    WHERE s.logicalrelid = %s::regclass AND p.groupid <> ALL(%s::integer[])"""
PARTS_THERE = """
    SELECT n FROM generate_series(0, %s) AS n
    WHERE get_shard_id_for_distribution_column('passage'::regclass, n) = ANY(%s::bigint[])"""
IDS_THERE = """
    SELECT id FROM unnest(%s::text[]) AS id
    WHERE get_shard_id_for_distribution_column('document'::regclass, id) = ANY(%s::bigint[])"""
_TABLES = """
    SELECT c.relname, s.shardid, s.shardminvalue, n.nodename, n.nodeport
    FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
    JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace i ON i.oid = c.relnamespace
    WHERE i.nspname = %s ORDER BY n.groupid, s.shardid"""
_LOOK_AGAIN = 5.0
"""Seconds after which a node that was away is looked for again."""
_PER_SHARD = 64
"""Numbers to try for each shard; among them there is one of every shard, or the hash would be a poor one."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Tables of one shard that lie side by side on a node, each with the name that it has there."""

    place: Place
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShardLayout:
    """Where shards lie, as one text to compare, and the stamps that together reach every node; none on one server.

    Nodes that are away have no stamp here; of those that are there the shards of passages and documents are listed.
    """

    placed: str = ""
    parts: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    passages: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    shards: tuple[Shard, ...] = ()
    """Every shard, for whoever reads it where it lies."""
    everywhere: tuple[tuple[str, str], ...] = ()
    """What is on every node: tables with the names that they have there."""

    @property
    def stamps(self) -> tuple[tuple[str, tuple[list[Any]]], ...]:
        """The statements that read one stamp on every node."""
        parts = ("SELECT generation FROM part_stamp WHERE part = ANY(%s::integer[])", (list(self.parts),))
        ids = ("SELECT generation FROM id_stamp WHERE id = ANY(%s)", (list(self.ids),))
        return tuple(statement for statement in (parts, ids) if statement[1][0])


def reads_shards(statement: Statement) -> bool:
    """Return whether a statement reads what lies in shards; what is on every node does not move."""
    return not tables_of(statement.sql).isdisjoint(BY_PART + BY_ID)


def stamps(connection: Connection, schema: str, table: str) -> list[tuple[int, int]]:
    """Return the number of each stamp of a table, and the node that it lies on."""
    shards = value(connection, _SHARDS, (f"{schema}.{table}",))
    statement = _STAMPS.format(cast="::text" if table in BY_ID else "::integer")
    return connection.execute(statement, (f"{schema}.{table}", shards * _PER_SHARD)).fetchall()


def read_placement(connection: Connection, schema: str) -> str:
    """Return where the shards lie now; empty where the index is not distributed."""
    return value(connection, _PLACED, (schema,)) or ""


def restrict_to_parts(parts: Sequence[int], statement: Statement) -> Statement:
    """Keep a statement to some parts, whatever tables that are distributed by part it reads.

    Parts that it asks for itself are cut down, too: of two lists Citus looks at one to choose its nodes.
    """
    inside, there = f"part = ANY('{{{','.join(map(str, parts))}}}'::integer[])", frozenset(parts)
    tables = {table: f"(SELECT * FROM {table} WHERE {inside})" for table in BY_PART}
    given = [
        [part for part in value if part in there] or list(parts[:1]) if isinstance(value, Parts) else value
        for value in statement.values
    ]
    return Statement(with_tables(statement.sql, tables), given)


def layout(connection: Connection, schema: str, away: Mapping[int, str]) -> ShardLayout:
    """Look where the shards lie, and choose one stamp for every node that has any and is not away."""
    # Before the rest is read: where a shard moves meanwhile, this text no longer holds, and `stands` notices.
    before = read_placement(connection, schema)
    if not before:
        return ShardLayout()
    in_parts, in_ids = ({node: n for n, node in stamps(connection, schema, t) if node not in away} for t in STAMPS)
    parts = tuple(sorted(in_parts.values()))
    ids = tuple(str(number) for number in sorted(number for node, number in in_ids.items() if node not in in_parts))
    complete = ShardLayout(before, parts, ids, **_tables(connection, schema))
    if not away:
        return complete
    there = (value(connection, _THERE, (f"{schema}.{table}", [*away])) for table in ("passage", "document"))
    passages, documents = (tuple(each or ()) for each in there)
    return replace(complete, away=tuple(away.values()), passages=passages, documents=documents)


def _tables(connection: Connection, schema: str) -> dict[str, Any]:
    """Return the names of the tables on the nodes: those of each shard side by side, and those on every node."""
    side: dict[tuple[Place, bool, str], list[tuple[str, str]]] = {}
    everywhere: dict[str, str] = {}
    for table, number, least, host, port in connection.execute(_TABLES, (schema,)):
        if least is None:
            everywhere[table] = f"{table}_{number}"
        else:
            side.setdefault(((host, port), table in BY_ID, least), []).append((table, f"{table}_{number}"))
    shards = tuple(Shard(place, tuple(tables)) for (place, _, _), tables in side.items())
    return {"shards": shards, "everywhere": tuple(everywhere.items())}


class Topology:
    """The layout of one index as its nodes know it now, asked over connections outside any snapshot.

    Each node has its own word for where shards lie, and a reader must ask the one that it reads through.
    """

    def __init__(self, connect: Callable[[str, int], Connection], schema: str) -> None:
        self._connect = connect
        self._schema = schema
        self._lock = threading.Lock()
        self._open: dict[Place, Connection] = {}
        self._layouts: dict[Place, ShardLayout] = {}
        self._looked: dict[Place, float] = {}

    def layout(self, reader: Connection) -> ShardLayout:
        """Return the layout as it was last seen through the node of this reader."""
        place = place_of(reader)
        with self._lock:
            if place not in self._layouts:
                self._layouts[place] = self._ask(place, lambda own: layout(own, self._schema, {}))
            elif self._layouts[place].away and time.monotonic() > self._looked[place] + _LOOK_AGAIN:
                self._look(place)
            return self._layouts[place]

    def leave_out(self, reader: Connection) -> None:
        """Leave nodes that do not answer out of what is read through the node of this reader."""
        with self._lock:
            self._look(place_of(reader))

    def _look(self, place: Place) -> None:
        away: dict[int, str] = self._ask(place, lambda own: dict(own.execute(_AWAY).fetchall()))
        self._layouts[place] = self._ask(place, lambda own: layout(own, self._schema, away))
        self._looked[place] = time.monotonic()

    def stands(self, reader: Connection, seen: ShardLayout) -> bool:
        """Return whether shards lie as in the layout that was seen; where not, the next one asked for is new."""
        if self.now(reader) == seen.placed:
            return True
        with self._lock:
            self._layouts.pop(place_of(reader), None)
        return False

    def now(self, reader: Connection) -> str:
        """Return where shards lie at this moment."""
        with self._lock:
            return self._ask(place_of(reader), lambda own: read_placement(own, self._schema))

    def _ask(self, place: Place, question: Callable[[Connection], T]) -> T:
        if place in self._open:
            try:
                return question(self._open[place])
            except psycopg.OperationalError:
                # It may have been idle for too long; a new connection tells whether the server is there.
                self._open.pop(place).close()
        self._open[place] = self._connect(*place)
        return question(self._open[place])

    def close(self) -> None:
        with self._lock:
            for connection in self._open.values():
                connection.close()
            self._open.clear()


def place_of(reader: Connection) -> Place:
    return reader.info.host, reader.info.port


def agree(generation: int, layout: ShardLayout, stamps: Iterable[Sequence[tuple[Any, ...]]]) -> bool:
    """Return whether there is a stamp of every node and each is of this generation."""
    seen = [row[0] for rows in stamps for row in rows]
    return len(seen) == len(layout.parts) + len(layout.ids) and set(seen) <= {generation}
