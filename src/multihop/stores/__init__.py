"""Where an index lives."""

from multihop.stores.embedded import EmbeddedStore

__all__ = ["EmbeddedStore"]
