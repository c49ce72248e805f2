from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from multihop.errors import EmbeddingError, MissingExtra
from multihop.index.embedders import SentenceTransformersEmbedder, sentence_transformers
from multihop.protocols import Embedder

from .contract import OwnEmbedderContract
from .standins import SentenceTransformer, install_sentence_transformers


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_sentence_transformers(monkeypatch)
    yield
    sentence_transformers._load.cache_clear()
    sentence_transformers._dimension.cache_clear()


class TestContract(OwnEmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return SentenceTransformersEmbedder("cached")


def test_value() -> None:
    embedder = SentenceTransformersEmbedder("all-MiniLM-L6-v2")
    assert embedder.identity == "sentence-transformers:all-MiniLM-L6-v2"
    assert SentenceTransformersEmbedder("sentence-transformers/all-MiniLM-L6-v2").identity == embedder.identity
    assert SentenceTransformersEmbedder("BAAI/bge-m3").identity == "sentence-transformers:BAAI/bge-m3"
    assert embedder == SentenceTransformersEmbedder("all-MiniLM-L6-v2", download=False)


def test_queries_and_passages_are_told_apart() -> None:
    embedder = SentenceTransformersEmbedder("cached")
    np.testing.assert_allclose(embedder.embed(["a"], query=True), embedder.embed(["query: a"]), atol=1e-6)


def test_a_model_is_loaded_once() -> None:
    SentenceTransformersEmbedder("cached").embed(["a"])
    SentenceTransformersEmbedder("cached").embed(["b"], query=True)
    assert SentenceTransformer.loaded == (("cached", True),)


@pytest.mark.parametrize(
    ("name", "repository"),
    [("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"), ("BAAI/bge-m3", "BAAI/bge-m3")],
)
def test_nothing_is_downloaded_unasked(name: str, repository: str) -> None:
    with pytest.raises(EmbeddingError, match=f"from this machine.*download=True.*`hf download {repository}`"):
        SentenceTransformersEmbedder(name).embed(["a"])
    assert SentenceTransformer.loaded == ((name, True),)


def test_download_when_asked() -> None:
    assert SentenceTransformersEmbedder("absent", download=True).embed(["a"]).shape == (1, 6)
    assert SentenceTransformer.loaded == (("absent", False),)


def test_errors_of_the_library_are_wrapped() -> None:
    with pytest.raises(EmbeddingError, match="cannot load 'corrupt': size mismatch"):
        SentenceTransformersEmbedder("corrupt").embed(["a"])


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[sentence-transformers\]"):
        SentenceTransformersEmbedder("cached").embed(["x"])
    with pytest.raises(MissingExtra, match=r"pip install .*\[sentence-transformers\]"):
        _ = SentenceTransformersEmbedder("cached").dimension


class OldModel:
    """The face of a model of release 3 or 4, which knows prompts and not sides."""

    def __init__(self, prompts: dict[str, str]) -> None:
        self.prompts = prompts

    def encode(self, texts: list[str], prompt_name: str | None, show_progress_bar: bool) -> NDArray[np.str_]:
        prompt = self.prompts[prompt_name] if prompt_name else ""
        return np.array([prompt + text for text in texts])


def test_older_releases_get_their_prompts() -> None:
    model = OldModel({"query": "query: ", "passage": "passage: "})
    assert sentence_transformers._encode(model, ["a"], query=True) == ["query: a"]
    assert sentence_transformers._encode(model, ["a"], query=False) == ["passage: a"]
    assert sentence_transformers._encode(OldModel({}), ["a"], query=True) == ["a"]
