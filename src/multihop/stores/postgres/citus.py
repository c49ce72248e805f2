"""Spreading an index over the nodes of a Citus cluster, and saying where it lies."""

from __future__ import annotations

from multihop.errors import StoreError
from multihop.stores.postgres.address import Address
from multihop.stores.postgres.connecting import Connection
from multihop.stores.postgres.schema import BY_ID, BY_PART, EVERYWHERE


def present(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchone() is not None


def statements(schema: str) -> list[str]:
    """Write what makes the tables of an index distributed: parts side by side, small tables everywhere."""
    first, *others = BY_PART
    lines = [f"SELECT create_distributed_table('{schema}.{first}', 'part', colocate_with => 'none')"]
    lines += [
        f"SELECT create_distributed_table('{schema}.{table}', 'part', colocate_with => '{schema}.{first}')"
        for table in others
    ]
    lines += [f"SELECT create_distributed_table('{schema}.{t}', 'id', colocate_with => 'none')" for t in BY_ID]
    lines += [f"SELECT create_reference_table('{schema}.{table}')" for table in EVERYWHERE]
    return lines


def distribute(connection: Connection, address: Address) -> None:
    """Distribute the tables that are not distributed yet."""
    if not present(connection):
        raise StoreError(
            f"the database at {address.shown!r} has no extension citus, so the index cannot be distributed; install "
            "Citus, run in this database: CREATE EXTENSION citus, add its nodes, and try again; or leave out --distribute"
        )
    with connection.transaction():
        done = {
            name for (name,) in connection.execute("SELECT logicalrelid::oid::regclass::text FROM pg_dist_partition")
        }
        for statement in statements(address.schema):
            table = statement.partition("'")[2].partition("'")[0]
            if table not in done and table.rpartition(".")[2] not in done:
                connection.execute(statement)  # type: ignore[call-overload]  # put together from our own names


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
