from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from multihop.index.links.mentions import MentionLinker
from multihop.index.stores.postgres.store import PostgresStore
from multihop.protocols import Embedder
from multihop.testing.contracts import StoreFactory

from .cluster import Cluster

_numbers = count()


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    return Cluster.named()


@pytest.fixture
def index(cluster: Cluster) -> Iterator[str]:
    """The name of an index on the cluster that does not exist yet."""
    name = f"test{next(_numbers)}"
    cluster.run(f"DROP SCHEMA IF EXISTS multihop_{name} CASCADE")
    yield name
    cluster.run(f"DROP SCHEMA IF EXISTS multihop_{name} CASCADE")


@pytest.fixture
def store_factory(cluster: Cluster) -> Iterator[StoreFactory]:
    opened: list[PostgresStore] = []

    def make(embedder: Embedder | None = None) -> PostgresStore:
        name = f"contract{next(_numbers)}"
        cluster.run(f"DROP SCHEMA IF EXISTS multihop_{name} CASCADE")
        store = PostgresStore(cluster.address(name), MentionLinker(), create=True, embedder=embedder, distribute=True)
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()
        cluster.run(f"DROP SCHEMA {store.address.schema} CASCADE")
