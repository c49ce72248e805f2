"""Contract suites, one per protocol: what every store, embedder, searcher and selector must do.

A new implementation inherits the suite in its own tests and supplies the fixtures that the suite asks for:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store_factory(self, tmp_path):
            return lambda embedder=None: MyStore(tmp_path / str(uuid4()), MentionLinker(), embedder=embedder)
"""

# A test says what must hold by assert.

from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory, divided, fill, found, links, near
from multihop.testing.contracts.parts import EmbedderContract, SearcherContract, SelectorContract
from multihop.testing.contracts.store import StoreContract

__all__ = [
    "EmbedderContract",
    "HashEmbedder",
    "SearcherContract",
    "SelectorContract",
    "StoreContract",
    "StoreFactory",
    "divided",
    "fill",
    "found",
    "links",
    "near",
]
