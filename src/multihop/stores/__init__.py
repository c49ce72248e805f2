"""Where an index lives."""

from multihop.stores.embedded import EmbeddedStore
from multihop.stores.opening import open_store

__all__ = ["EmbeddedStore", "open_store"]
