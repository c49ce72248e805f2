"""The PostgreSQL store keeps the contract of every store."""

from multihop.testing.contracts import StoreContract

from ..growth import GrowthContract


class TestPostgresStore(StoreContract):
    pass


class TestGrowth(GrowthContract):
    pass
