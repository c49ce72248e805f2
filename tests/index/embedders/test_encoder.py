from __future__ import annotations

import pytest

from multihop.errors import EmbeddingError, InvalidInput
from multihop.index.embedders import EncoderEmbedder, encoder, open_embedder
from multihop.protocols import Embedder

from .contract import OwnEmbedderContract

pytestmark = pytest.mark.usefixtures("read_anew")


class TestContract(OwnEmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return EncoderEmbedder()


def test_it_is_opened_by_name_and_by_identity() -> None:
    assert open_embedder("encoder") == open_embedder(EncoderEmbedder().identity) == EncoderEmbedder()
    with pytest.raises(InvalidInput, match="'encoder:9' names a version that this package does not have"):
        open_embedder("encoder:9")


def test_a_question_lies_nearer_to_its_evidence_than_to_another_text() -> None:
    question, evidence, other = EncoderEmbedder().embed(
        [
            "Who designed the ship Fram?",
            "Fram: Colin Archer drew the lines of the ship.",
            "Tea: A drink of leaves.",
        ]
    )
    assert question @ evidence > question @ other + 0.1


def test_without_onnxruntime_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "encoder", lambda: None)
    with pytest.raises(EmbeddingError, match="pip install onnxruntime"):
        EncoderEmbedder().embed(["a text"])
