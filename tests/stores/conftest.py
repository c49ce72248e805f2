from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.links.mentions import MentionLinker
from multihop.protocols import Embedder
from multihop.stores import EmbeddedStore
from multihop.testing.contracts import StoreFactory


@pytest.fixture
def store_factory(tmp_path: Path) -> Iterator[StoreFactory]:
    opened: list[EmbeddedStore] = []

    def make(embedder: Embedder | None = None) -> EmbeddedStore:
        folder = tmp_path / f"index{len(opened)}"
        opened.append(EmbeddedStore(folder, MentionLinker(), create=True, embedder=embedder))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
