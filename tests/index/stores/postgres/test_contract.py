"""The PostgreSQL store keeps the contract of every store."""

from multihop.testing.contracts import StoreContract


class TestPostgresStore(StoreContract):
    pass
