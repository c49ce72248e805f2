"""An index on a PostgreSQL server with pgvector, for corpora that are shared or outgrow one machine."""

from __future__ import annotations

from typing import Any

from multihop.errors import needs_extra
from multihop.index.stores.open_store import StoreScheme


def _store() -> Any:
    """Import the store with its driver, which is an extra, on first use."""
    with needs_extra("An index on PostgreSQL", "postgres"):
        from multihop.index.stores.postgres.store import PostgresStore
    return PostgresStore


SCHEME = StoreScheme(
    lambda *place, **options: _store()(*place, **options),
    lambda url: _store().exists(url),
    lambda url: _store().remove_unused(url),
)
