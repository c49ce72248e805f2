"""The tables of an index, one schema each, and the migrations that bring an older one up to date.

Written so that the same tables can be distributed by Citus: what belongs to a passage or a name carries its part, which
is in every key; terms and the counters are small and copied to every node; nothing refers across, and numbers are given
out by the one writer, not by sequences.
"""

from __future__ import annotations

from importlib.resources import files

from psycopg import errors as pg, sql

from multihop.errors import FormatError, IndexNotFound, StoreError, suggestion
from multihop.index.stores.postgres import shards
from multihop.index.stores.postgres.address import SCHEMA, Address
from multihop.index.stores.postgres.statements import Connection, value

# `attribute` has no key: logical replication, by which shards move, finds its rows by all their columns.
MIGRATIONS = ((files(__package__) / "schema-1.sql").read_text("utf-8"),)
"""One text per version; a text that was released is never changed, a new one is added behind it."""

VERSION = len(MIGRATIONS)
_NEWEST = "SELECT coalesce(max(version), 0) FROM migration"
_HALFVEC = "SELECT to_regtype('halfvec')"
EVERYWHERE = ("meta", "term", "kept", "migration", "file")
"""What Citus copies to every node."""

DANGLING = {
    "mentions in passages": "SELECT count(*) FROM $mention m LEFT JOIN $passage p"
    " ON p.part = m.part AND p.number = m.number WHERE p.number IS NULL",
    "names of documents": "SELECT count(*) FROM $name n LEFT JOIN $surface s"
    " ON s.part = n.part AND s.surface = n.surface WHERE s.surface IS NULL",
    "relations of passages": "SELECT count(*) FROM $relation r LEFT JOIN $passage p"
    " ON p.part = r.part AND p.number = r.source WHERE p.number IS NULL",
    "vectors of passages": "SELECT count(*) FROM $embedding v LEFT JOIN $passage p"
    " ON p.part = v.part AND p.number = v.number WHERE p.number IS NULL",
}
"""What must count zero in a sound index."""


def version(connection: Connection, address: Address) -> int:
    """Return the version of the tables, 0 where there are none."""
    with connection.transaction():
        if value(connection, "SELECT to_regclass(%s)", (f"{address.schema}.migration",)) is None:
            return 0
        return int(value(connection, _NEWEST))


def check(connection: Connection, address: Address) -> None:
    """Raise unless the tables are there and of this version."""
    present = version(connection, address)
    if present == 0:
        known = suggestion(address.index, indexes(connection))
        raise IndexNotFound(
            f"there is no index {address.index!r} at {address.shown!r}: {known} "
            f"(make one with: multihop index FILE --to '{address.shown}')"
        )
    if present != VERSION:
        advice = "upgrade multihop" if present > VERSION else "let its owner open it once with: multihop index"
        raise FormatError(
            f"the index {address.index!r} at {address.shown!r} has tables of version {present}; this version of "
            f"multihop uses version {VERSION}: {advice}"
        )


def indexes(connection: Connection) -> list[str]:
    """Name the indexes in this database."""
    rows = connection.execute(
        "SELECT n.nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid"
        " WHERE starts_with(n.nspname::text, %s) AND c.relname = 'migration'",
        (SCHEMA,),
    )
    return sorted(name.removeprefix(SCHEMA) for (name,) in rows)


def bring_up(connection: Connection, address: Address, embedder: str | None = None) -> None:
    """Make the tables of an index, or apply what is new since they were made; one transaction, all or nothing.

    `embedder` makes the vectors of an index that is new.
    """
    if version(connection, address) >= VERSION:
        return
    _extension(connection, address)
    with connection.transaction():
        # Two processes may want to make the same index at once. Seed 1, because seed 0 is the lock of writers.
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", (address.schema,))
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(address.schema)))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY, applied timestamptz DEFAULT now())"
        )
        done = value(connection, _NEWEST)
        for number, text in enumerate(MIGRATIONS[done:], done + 1):
            # One at a time: Citus takes no more than one command for a table that is distributed.
            for command in filter(str.strip, text.split(";")):
                connection.execute(command)
            connection.execute("INSERT INTO migration (version) VALUES (%s)", (number,))
        if not done and embedder is not None:
            connection.execute("INSERT INTO meta VALUES ('embedder', %s)", (embedder,))


def _extension(connection: Connection, address: Address) -> None:
    if value(connection, _HALFVEC):
        return
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (pg.FeatureNotSupported, pg.UndefinedFile, pg.InsufficientPrivilege) as error:
        raise StoreError(
            f"the database at {address.shown!r} does not have the pgvector extension (0.8 or newer): install it on the "
            "server, then let an administrator run in this database: CREATE EXTENSION vector"
        ) from error
    if value(connection, _HALFVEC) is None:
        raise StoreError(f"the extension pgvector at {address.shown!r} is too old; 0.8 or newer is needed")
    # The extension may live in a schema that was not there when this connection was set up.
    connection.execute("SELECT set_config('search_path', %s, false)", (f'"{address.schema}", public',))


def generation(connection: Connection) -> int:
    return int(value(connection, "SELECT value FROM meta WHERE key = 'generation'"))


def stamp(connection: Connection, generation: int) -> None:
    """Mark every shard with the generation of a change, inside its transaction; on one server there are none."""
    for table in shards.STAMPS:
        connection.execute(f"UPDATE {table} SET generation = %s", (generation,))


def shards_agree(connection: Connection) -> bool:
    """Return whether every shard carries the generation of the index, so the last change is complete."""
    now = generation(connection)
    reached = [f"SELECT min(generation), max(generation) FROM {table}" for table in shards.STAMPS]
    return all(connection.execute(sql).fetchone() in ((None, None), (now, now)) for sql in reached)


def owns(connection: Connection) -> bool:
    """Return whether this role may change the tables themselves, not only what is in them."""
    owned = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'embedding'::regclass"
    return bool(value(connection, owned))
