"""Opens the store at a location, and checks whether there is an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop.errors import InvalidInput
from multihop.index.locations import Location, is_server, looks_like_address, redact
from multihop.index.stores.core.embedding import LoadEmbedder
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.store import EmbeddedStore
from multihop.protocols import Embedder, Linker, Store
from multihop.registry import Registry


@dataclass(frozen=True, slots=True)
class StoreScheme:
    """A kind of store with its own URL scheme. `open` is called as `open_store` is, `exists` with the URL.

    `remove_unused` deletes an index that was created and never written to; by default the empty index stays.
    """

    open: Callable[..., Store]
    exists: Callable[[str], bool]
    remove_unused: Callable[[str], object] = str


STORES: Mapping[str, StoreScheme] = Registry("multihop.stores", StoreScheme)
"""The stores by the scheme of their URLs; a location without one is a folder."""


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
    return _scheme(location).open(str(location), linker, **options, **({"distribute": True} if distribute else {}))


def index_exists(location: Location) -> bool:
    """Return whether there is an index at a location, without opening it."""
    return _scheme(location).exists(str(location)) if looks_like_address(location) else schema.exists(Path(location))


def remove_unused(location: Location) -> None:
    """Remove an index that nothing was ever added to, unless another process is about to."""
    if looks_like_address(location):
        _scheme(location).remove_unused(str(location))
    else:
        schema.remove_unused(Path(location))


def _scheme(location: Location) -> StoreScheme:
    scheme, separator, _ = str(location).partition("://")
    if not separator or scheme not in STORES:
        schemes = ", ".join(f"{each}://" for each in STORES)
        raise InvalidInput(f"unsupported location {redact(location)!r}; give a folder or a URL ({schemes})")
    return STORES[scheme]
