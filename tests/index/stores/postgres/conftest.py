from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from multihop.index.links.mentions import MentionLinker
from multihop.index.stores.postgres.store import PostgresStore
from multihop.protocols import Embedder
from multihop.testing.contracts import StoreFactory

from .server import Server

_numbers = count()


@pytest.fixture
def store_factory(postgres: Server) -> Iterator[StoreFactory]:
    opened: list[PostgresStore] = []

    def make(embedder: Embedder | None = None) -> PostgresStore:
        address = postgres.address(f"contract{next(_numbers)}")
        opened.append(PostgresStore(address, MentionLinker(), create=True, embedder=embedder))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
        postgres.run(f"DROP SCHEMA {store.address.schema} CASCADE")
