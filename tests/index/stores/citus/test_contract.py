"""A distributed index keeps the contract of every store."""

import pytest

from multihop.testing.contracts import StoreContract

from ..growth import GrowthContract

pytestmark = pytest.mark.citus


class TestDistributedStore(StoreContract):
    pass


class TestGrowth(GrowthContract):
    pass
