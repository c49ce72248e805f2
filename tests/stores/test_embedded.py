from __future__ import annotations

from multihop.testing.contracts import StoreContract


class TestEmbeddedStore(StoreContract):
    """The embedded store keeps the contract of every store."""
