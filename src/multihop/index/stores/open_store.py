"""Choosing a store by the location of the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from multihop.errors import InvalidInput, needs_extra
from multihop.index.locations import Location, is_server, looks_like_address, redact
from multihop.index.stores.core.embedding import LoadEmbedder
from multihop.index.stores.sqlite.store import EmbeddedStore
from multihop.protocols import Embedder, Linker, Store
from multihop.registry import Registry

STORES: Mapping[str, Callable[..., Store]] = Registry("multihop.stores", Callable)
"""What opens the index at a URL, by its scheme; a location without one is a folder."""


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
    if distribute and not is_server(location):
        what = "is not on PostgreSQL" if looks_like_address(location) else "is a folder"
        raise InvalidInput(
            f"{redact(location)!r} {what}; only an index on a server (postgresql://…) can be distributed over nodes"
        )
    if not looks_like_address(location):
        return EmbeddedStore(location, linker, **options)
    scheme, separator, _ = str(location).partition("://")
    if not separator or scheme not in STORES:
        raise InvalidInput(f"unsupported location {redact(location)!r}; give a folder or a postgresql:// URL")
    store: Store = STORES[scheme](str(location), linker, **options, **({"distribute": True} if distribute else {}))
    return store


def open_postgres(location: str, linker: Linker, **options: Any) -> Store:
    """Open an index on PostgreSQL, whose driver is imported only now."""
    with needs_extra("An index on PostgreSQL", "postgres"):
        from multihop.index.stores.postgres.store import PostgresStore
    return PostgresStore(location, linker, **options)
