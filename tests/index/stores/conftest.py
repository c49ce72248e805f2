from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import EmbeddedStore
from multihop.protocols import Embedder
from multihop.testing.contracts import StoreFactory

SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where there is a disk in memory, the many small commits of the contract are quick there."""


@pytest.fixture
def store_factory() -> Iterator[StoreFactory]:
    opened: list[EmbeddedStore] = []
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:

        def make(embedder: Embedder | None = None) -> EmbeddedStore:
            path = Path(folder) / str(len(opened))
            opened.append(EmbeddedStore(path, MentionLinker(), create=True, embedder=embedder))
            return opened[-1]

        yield make
        for store in opened:
            store.close()
