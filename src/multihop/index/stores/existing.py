"""Whether there is an index at a location, without opening it."""

from __future__ import annotations

from pathlib import Path

from multihop.errors import needs_extra
from multihop.index.locations import Location, is_server
from multihop.index.stores.sqlite import schema


def index_exists(location: Location) -> bool:
    """Tell whether there is an index in a folder or on a server."""
    if is_server(location):
        with needs_extra("An index on PostgreSQL", "postgres"):
            from multihop.index.stores.postgres.store import PostgresStore
        return PostgresStore.exists(str(location))
    return schema.exists(Path(location))
