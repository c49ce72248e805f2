from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from multihop.errors import EmbeddingError, InvalidInput, MissingExtra
from multihop.index.embedders import WordLlamaEmbedder, wordllama
from multihop.protocols import Embedder

from ...patience import patience
from .contract import OwnEmbedderContract


class TestContract(OwnEmbedderContract):
    @pytest.fixture(params=wordllama.DIMENSIONS)
    def embedder(self, request: pytest.FixtureRequest) -> Embedder:
        return WordLlamaEmbedder(request.param)


def test_identity_and_equality() -> None:
    assert WordLlamaEmbedder().identity == "wordllama:l2_supercat:256"
    assert WordLlamaEmbedder(64).identity == "wordllama:l2_supercat:64"
    assert WordLlamaEmbedder(256) == WordLlamaEmbedder()
    assert WordLlamaEmbedder(64) != WordLlamaEmbedder(128)
    assert repr(WordLlamaEmbedder(64)) == "WordLlamaEmbedder(dimension=64)"


def test_agrees_with_the_library() -> None:
    texts = ["Lyon is a city in France.", "the the the cat", "naïve — Ωmega"]
    WordLlamaEmbedder().embed(texts)
    import wordllama as library

    package = Path(library.__file__).parent
    theirs = library.WordLlama.load(cache_dir=package, disable_download=True).embed(texts, norm=True)
    np.testing.assert_allclose(WordLlamaEmbedder().embed(texts), theirs, atol=1e-5)


def test_near_texts_are_near() -> None:
    rows = WordLlamaEmbedder().embed(["a small dog", "a little puppy", "the price of crude oil"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_a_long_text_is_not_too_much() -> None:
    text = "the quick brown fox " * 50_000
    with patience():
        rows = WordLlamaEmbedder().embed([text, "short"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("dimension", [0, 100, 512, -1])
def test_dimension_that_does_not_exist(dimension: int) -> None:
    with pytest.raises(InvalidInput, match=f"no dimension {dimension}; allowed: 64, 128, 256"):
        WordLlamaEmbedder(dimension)


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    wordllama._load.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtra, match=r'pip install .*\[wordllama\]"'):
        WordLlamaEmbedder().embed(["x"])


def test_incomplete_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import wordllama as library

    wordllama._load.cache_clear()
    monkeypatch.setattr(wordllama, "CONFIG", "l3_supercat")
    with pytest.raises(EmbeddingError, match=r"is missing its weights.*pip install --force-reinstall wordllama"):
        WordLlamaEmbedder().embed(["x"])
    assert not (Path(library.__file__).parent / "weights" / "l3_supercat_256.safetensors").exists()


def test_leaves_the_logging_of_the_program_alone() -> None:
    script = (
        "import logging; from multihop.index.embedders import WordLlamaEmbedder; WordLlamaEmbedder().embed(['x']);"
        "root = logging.getLogger(); print(root.level == logging.WARNING, root.handlers)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"
    assert done.stderr == ""
