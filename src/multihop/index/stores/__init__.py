"""Stores: an index in a folder, or on a PostgreSQL server."""

from multihop.index.stores.open_store import StoreScheme, index_exists, open_store, remove_unused
from multihop.index.stores.sqlite.store import EmbeddedStore

__all__ = ["EmbeddedStore", "StoreScheme", "index_exists", "open_store", "remove_unused"]
