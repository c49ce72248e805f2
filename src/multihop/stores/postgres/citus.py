"""Spreading an index over the nodes of a Citus cluster, and saying where it lies."""

from __future__ import annotations

from multihop.errors import StoreError
from multihop.stores.postgres.address import Address
from multihop.stores.postgres.connecting import Connection
from multihop.stores.postgres.schema import BY_ID, BY_PART, EVERYWHERE


def present(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchone() is not None


def statements(schema: str) -> dict[str, str]:
    """Write for each table what distributes it: parts side by side, small tables on every node."""
    first = BY_PART[0]
    found = {}
    for table in BY_PART:
        beside = "none" if table == first else f"{schema}.{first}"
        found[table] = f"create_distributed_table('{schema}.{table}', 'part', colocate_with => '{beside}')"
    for table in BY_ID:
        found[table] = f"create_distributed_table('{schema}.{table}', 'id', colocate_with => 'none')"
    for table in EVERYWHERE:
        found[table] = f"create_reference_table('{schema}.{table}')"
    return {f"{schema}.{table}": f"SELECT {call}" for table, call in found.items()}


def require(connection: Connection, address: Address) -> None:
    """Raise unless the database is one of a Citus cluster."""
    if not present(connection):
        raise StoreError(
            f"the database at {address.shown!r} has no extension citus, so the index cannot be distributed; install "
            "Citus, run in this database: CREATE EXTENSION citus, add its nodes, and try again; or leave out "
            "--distribute"
        )


def distribute(connection: Connection, address: Address) -> None:
    """Distribute the tables that are not distributed yet."""
    with connection.transaction():
        for table, statement in statements(address.schema).items():
            done = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %s::regclass"
            if connection.execute(done, (table,)).fetchone() is None:
                connection.execute(statement)


def nodes(connection: Connection) -> list[str]:
    """Say on which nodes the index lies and in how many shards each holds of it."""
    if not present(connection):
        [(server,)] = connection.execute("SELECT current_setting('server_version')").fetchall()
        return [f"one server, PostgreSQL {server}, not distributed"]
    rows = connection.execute(
        "SELECT nodename, nodeport, count(*) FROM citus_shards WHERE starts_with(table_name::text, current_schema())"
        " OR table_name::text = ANY(%s) GROUP BY nodename, nodeport ORDER BY nodename, nodeport",
        (list(BY_PART + BY_ID + EVERYWHERE),),
    ).fetchall()
    return [f"{host}:{port}: {count} shards" for host, port, count in rows] or ["Citus, not distributed"]
