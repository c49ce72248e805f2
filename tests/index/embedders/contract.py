"""What every embedder of ours must do, beyond what any embedder must."""

from __future__ import annotations

import copy
import pickle

import pytest

from multihop.errors import InvalidInput
from multihop.protocols import Embedder
from multihop.testing.contracts import EmbedderContract


class OwnEmbedderContract(EmbedderContract):
    def test_it_is_a_value(self, embedder: Embedder) -> None:
        for twin in (copy.deepcopy(embedder), pickle.loads(pickle.dumps(embedder))):
            assert (twin, hash(twin), twin.identity) == (embedder, hash(embedder), embedder.identity)

    def test_what_is_no_list_of_texts_is_refused(self, embedder: Embedder) -> None:
        with pytest.raises(InvalidInput, match="sequence of texts"):
            embedder.embed("one text")
        with pytest.raises(InvalidInput, match="int"):
            embedder.embed([3])  # type: ignore[list-item]  # what a caller without types may pass
