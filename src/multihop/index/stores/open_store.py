"""Choosing a store by the location of the index."""

from __future__ import annotations

from typing import Any

from multihop.errors import InvalidInput, needs_extra
from multihop.index.locations import Location, is_server, looks_like_address, redacted
from multihop.index.stores.core.embedding import LoadEmbedder
from multihop.index.stores.sqlite.store import EmbeddedStore
from multihop.protocols import Embedder, Linker, Store


def open_store(
    location: Location,
    linker: Linker,
    *,
    create: bool = False,
    embedder: Embedder | None = None,
    load_embedder: LoadEmbedder | None = None,
    wait: float = 0.0,
    distribute: bool = False,
) -> Store:
    """Open the index in a folder or on a server; `distribute` spreads one on a server over its Citus nodes.

    Without an `embedder`, `load_embedder` is called with the identity of the one that the index was made with.
    """
    options: dict[str, Any] = {
        "create": create, "embedder": embedder, "load_embedder": load_embedder, "wait": wait
    }  # fmt: skip
    if is_server(location):
        with needs_extra("An index on PostgreSQL", "postgres"):
            from multihop.index.stores.postgres.store import PostgresStore
        return PostgresStore(str(location), linker, distribute=distribute, **options)
    if looks_like_address(location):
        raise InvalidInput(f"unsupported location {redacted(location)!r}; give a folder or a postgresql:// URL")
    if distribute:
        raise InvalidInput(
            f"{str(location)!r} is a folder; only an index on a server (postgresql://…) can be distributed over nodes"
        )
    return EmbeddedStore(location, linker, **options)
