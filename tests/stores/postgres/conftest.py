from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from multihop.links.mentions import MentionLinker
from multihop.protocols import Embedder
from multihop.stores.postgres.store import PostgresStore
from multihop.testing.contracts import StoreFactory

from .server import Server

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests; it goes with its data when they are over."""
    # The folders of pytest are closed to others, and the server of a root user runs as somebody else.
    with tempfile.TemporaryDirectory(prefix="multihop-pg-") as folder:
        running = Server(Path(folder) / "data")
        yield running
        running.close()


@pytest.fixture
def index(server: Server) -> Iterator[str]:
    """The address of an index that does not exist yet."""
    name = f"test{next(_numbers)}"
    yield server.address(name)
    server.run(f"DROP SCHEMA IF EXISTS multihop_{name} CASCADE")


@pytest.fixture
def store_factory(server: Server) -> Iterator[StoreFactory]:
    opened: list[PostgresStore] = []

    def make(embedder: Embedder | None = None) -> PostgresStore:
        address = server.address(f"test{next(_numbers)}")
        opened.append(PostgresStore(address, MentionLinker(), create=True, embedder=embedder))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
        server.run(f"DROP SCHEMA {store.address.schema} CASCADE")
