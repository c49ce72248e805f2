"""Spreading an index over the nodes of a Citus cluster, and saying where it lies."""

from __future__ import annotations

import re

from multihop.errors import IndexReadOnly, StoreError
from multihop.index.stores.postgres import shards
from multihop.index.stores.postgres.address import Address
from multihop.index.stores.postgres.schema import EVERYWHERE, generation
from multihop.index.stores.postgres.shards import BY_ID, BY_PART
from multihop.index.stores.postgres.statements import Connection, value

OLDEST = (11, 2)
"""Since then every node reads at the isolation level that the transaction was begun with."""
_DONE = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %s::regclass"
_COORDINATOR = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 0 AND noderole = 'primary'"
_NODES = """
    SELECT n.nodename, n.nodeport, count(*) FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
    JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace i ON i.oid = c.relnamespace
    WHERE i.nspname = %s GROUP BY n.nodename, n.nodeport ORDER BY n.nodename, n.nodeport"""


def version(connection: Connection) -> str | None:
    """Return the version of the extension, None where it is not there."""
    installed: str | None = value(connection, shards.CITUS)
    return installed


def too_old(version: str) -> bool:
    # Versions are written 11.2-1, or 13 alone.
    major, minor, *_ = (*map(int, re.findall(r"\d+", version)), 0, 0)
    return (major, minor) < OLDEST


def statements(schema: str) -> dict[str, str]:
    """Write for each table what distributes it: parts side by side, small tables on every node."""
    by_table = {}
    for column, (first, *others) in (("part", BY_PART), ("id", BY_ID)):
        for table, beside in ((first, "none"), *((other, f"{schema}.{first}") for other in others)):
            call = f"create_distributed_table('{schema}.{table}', '{column}', colocate_with => '{beside}')"
            by_table[f"{schema}.{table}"] = f"SELECT {call}"
    return by_table | {
        f"{schema}.{table}": f"SELECT create_reference_table('{schema}.{table}')" for table in EVERYWHERE
    }


def require(connection: Connection, address: Address) -> None:
    """Raise unless the database is one of a Citus cluster that is new enough."""
    installed = version(connection)
    if installed is None:
        raise StoreError(
            f"the database at {address.shown!r} has no extension citus, so the index cannot be distributed; install "
            "Citus, run in this database: CREATE EXTENSION citus, add its nodes, and try again; or leave out "
            "--distribute"
        )
    if too_old(installed):
        needed = ".".join(map(str, OLDEST))
        raise StoreError(
            f"the database at {address.shown!r} has Citus {installed}, which is too old to keep a question on one "
            f"generation; {needed} or newer is needed: upgrade it, or leave out --distribute"
        )


def distribute(connection: Connection, address: Address) -> None:
    """Distribute the tables that are not distributed yet, and give each shard its stamp."""
    with connection.transaction():
        new = _missing_statements(connection, address)
        for statement in new.values():
            connection.execute(statement)
    if new:
        # What was there keeps its rows and loses what the planner knew of them.
        connection.execute(f"ANALYZE {', '.join(new)}")
    _stamp(connection, address)


def _missing_statements(connection: Connection, address: Address) -> dict[str, str]:
    """Return the statements of those tables that are not distributed yet."""
    return {t: sql for t, sql in statements(address.schema).items() if value(connection, _DONE, (t,)) is None}


def _stamp(connection: Connection, address: Address) -> None:
    now = generation(connection)
    for table, column, key in (("part_stamp", "part", int), ("id_stamp", "id", str)):
        wanted = {key(number) for number, _ in shards.stamps(connection, address.schema, table)}
        there = {stamped for (stamped,) in connection.execute(f"SELECT {column} FROM {table}")}
        for missing in sorted(wanted - there, key=int):
            connection.execute(f"INSERT INTO {table} ({column}, generation) VALUES (%s, %s)", (missing, now))


def incomplete(connection: Connection, address: Address) -> bool:
    """Return whether an index is spread over nodes but for a table that a new version has brought."""
    if version(connection) is None or not shards.read_placement(connection, address.schema):
        return False
    return bool(_missing_statements(connection, address))


def require_coordinator(connection: Connection, address: Address) -> None:
    """Raise unless this connection leads to the coordinator: the lock of the one writer is held there."""
    if version(connection) is None or value(connection, "SELECT citus_is_coordinator()"):
        return
    row = connection.execute(_COORDINATOR).fetchone()
    where = f"{row[0]}:{row[1]}" if row else "the coordinator"
    raise IndexReadOnly(
        f"the server at {address.shown!r} is a worker of a Citus cluster, nothing was changed: readers may use every "
        f"node, but an index is written through the coordinator only; write to {where}"
    )


def nodes(connection: Connection, address: Address) -> list[str]:
    """Describe the nodes that hold the index, with the number of shards of each."""
    if version(connection) is None:
        server = value(connection, "SELECT current_setting('server_version')")
        return [f"one server, PostgreSQL {server}, not distributed"]
    rows = connection.execute(_NODES, (address.schema,)).fetchall()
    return [f"{host}:{port}: {count} shards" for host, port, count in rows] or ["Citus, not distributed"]
