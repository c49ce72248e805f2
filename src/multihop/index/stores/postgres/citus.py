"""Spreading an index over the nodes of a Citus cluster, and saying where it lies."""

from __future__ import annotations

import re

from multihop.errors import IndexReadOnly, StoreError
from multihop.index.stores.postgres import shards
from multihop.index.stores.postgres.address import Address
from multihop.index.stores.postgres.connections import Connection
from multihop.index.stores.postgres.schema import EVERYWHERE
from multihop.index.stores.postgres.shards import BY_ID, BY_PART

OLDEST = (11, 2)
"""Since then every node reads at the isolation level that the transaction was begun with."""
_VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
_DONE = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %s::regclass"
_COORDINATOR = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 0 AND noderole = 'primary'"
_NODES = """
    SELECT n.nodename, n.nodeport, count(*) FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
    JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace i ON i.oid = c.relnamespace
    WHERE i.nspname = %s GROUP BY n.nodename, n.nodeport ORDER BY n.nodename, n.nodeport"""


def version(connection: Connection) -> str | None:
    """Give the version of the extension, None where it is not there."""
    found = connection.execute(_VERSION).fetchone()
    return str(found[0]) if found else None


def too_old(version: str) -> bool:
    major, minor, *_ = (*map(int, re.findall(r"\d+", version)), 0, 0)
    return (major, minor) < OLDEST


def statements(schema: str) -> dict[str, str]:
    """Write for each table what distributes it: parts side by side, small tables on every node."""
    first = BY_PART[0]
    found = {}
    for table in BY_PART:
        beside = "none" if table == first else f"{schema}.{first}"
        found[table] = f"create_distributed_table('{schema}.{table}', 'part', colocate_with => '{beside}')"
    for table in BY_ID:
        beside = "none" if table == BY_ID[0] else f"{schema}.{BY_ID[0]}"
        found[table] = f"create_distributed_table('{schema}.{table}', 'id', colocate_with => '{beside}')"
    for table in EVERYWHERE:
        found[table] = f"create_reference_table('{schema}.{table}')"
    return {f"{schema}.{table}": f"SELECT {call}" for table, call in found.items()}


def require(connection: Connection, address: Address) -> None:
    """Raise unless the database is one of a Citus cluster that is new enough."""
    found = version(connection)
    if found is None:
        raise StoreError(
            f"the database at {address.shown!r} has no extension citus, so the index cannot be distributed; install "
            "Citus, run in this database: CREATE EXTENSION citus, add its nodes, and try again; or leave out "
            "--distribute"
        )
    if too_old(found):
        needed = ".".join(map(str, OLDEST))
        raise StoreError(
            f"the database at {address.shown!r} has Citus {found}, which is too old to keep a question on one "
            f"generation; {needed} or newer is needed: upgrade it, or leave out --distribute"
        )


def distribute(connection: Connection, address: Address) -> None:
    """Distribute the tables that are not distributed yet, and give each shard its stamp."""
    with connection.transaction():
        new = [t for t in statements(address.schema) if connection.execute(_DONE, (t,)).fetchone() is None]
        for table in new:
            connection.execute(statements(address.schema)[table])
    if new:
        # What was there keeps its rows and loses what the planner knew of them.
        connection.execute(f"ANALYZE {', '.join(new)}")
    _stamp(connection, address)


def _stamp(connection: Connection, address: Address) -> None:
    for table, column in (("part_stamp", "part"), ("id_stamp", "id")):
        wanted = {number for number, _ in shards.stamps(connection, address.schema, table)}
        there = {int(key) for (key,) in connection.execute(f"SELECT {column} FROM {table}")}
        [(generation,)] = connection.execute("SELECT value::bigint FROM meta WHERE key = 'generation'").fetchall()
        for number in sorted(wanted - there):
            key = number if column == "part" else str(number)
            connection.execute(f"INSERT INTO {table} ({column}, generation) VALUES (%s, %s)", (key, generation))


def incomplete(connection: Connection, address: Address) -> bool:
    """Tell whether an index is spread over nodes but for a table that a new version has brought."""
    if version(connection) is None or not shards.placed(connection, address.schema):
        return False
    return any(connection.execute(_DONE, (table,)).fetchone() is None for table in statements(address.schema))


def require_coordinator(connection: Connection, address: Address) -> None:
    """Raise unless this connection leads to the coordinator: the lock of the one writer is held there."""
    if version(connection) is None or connection.execute("SELECT citus_is_coordinator()").fetchone() == (True,):
        return
    found = connection.execute(_COORDINATOR).fetchone()
    where = f"{found[0]}:{found[1]}" if found else "the coordinator"
    raise IndexReadOnly(
        f"the server at {address.shown!r} is a worker of a Citus cluster, nothing was changed: readers may use every "
        f"node, but an index is written through the coordinator only; write to {where}"
    )


def nodes(connection: Connection, address: Address) -> list[str]:
    """Say on which nodes the index lies and in how many shards each holds of it."""
    if version(connection) is None:
        [(server,)] = connection.execute("SELECT current_setting('server_version')").fetchall()
        return [f"one server, PostgreSQL {server}, not distributed"]
    rows = connection.execute(_NODES, (address.schema,)).fetchall()
    return [f"{host}:{port}: {count} shards" for host, port, count in rows] or ["Citus, not distributed"]
