"""Opening the store that a place calls for."""

from __future__ import annotations

from multihop.errors import InvalidInput, MissingExtra
from multihop.index.places import SCHEMES, Place, is_address, is_server, shown
from multihop.index.stores.sqlite.store import EmbeddedStore
from multihop.protocols import Embedder, Linker, Store


def open_store(
    place: Place,
    linker: Linker,
    *,
    create: bool = False,
    embedder: Embedder | None = None,
    wait: float = 0.0,
    distribute: bool = False,
) -> Store:
    """Open the index in a folder or on a server; `distribute` spreads one on a server over its Citus nodes."""
    if is_server(place):
        try:
            from multihop.index.stores.postgres.store import PostgresStore
        except ImportError as error:
            raise MissingExtra("An index on PostgreSQL", "postgres") from error
        return PostgresStore(str(place), linker, create=create, embedder=embedder, wait=wait, distribute=distribute)
    if is_address(place):
        raise InvalidInput(
            f"{shown(place)!r} is no address of an index: it begins with {SCHEMES[0]}, or is the path of a folder"
        )
    if distribute:
        raise InvalidInput(
            f"{str(place)!r} is a folder; only an index on a server (postgresql://…) can be distributed over nodes"
        )
    return EmbeddedStore(place, linker, create=create, embedder=embedder, wait=wait)
