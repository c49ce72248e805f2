"""Where an index lives."""

from multihop.index.stores.opening import open_store
from multihop.index.stores.sqlite.store import EmbeddedStore

__all__ = ["EmbeddedStore", "open_store"]
