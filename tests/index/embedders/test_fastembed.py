from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from multihop.errors import EmbeddingError, MissingExtra, UnknownName
from multihop.index.embedders import FastEmbedEmbedder, fastembed
from multihop.protocols import Embedder

from .contract import OwnEmbedderContract
from .standins import Log, TextEmbedding, install_fastembed


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    yield install_fastembed(monkeypatch)
    fastembed._load.cache_clear()
    fastembed._dimension.cache_clear()


class TestContract(OwnEmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return FastEmbedEmbedder("org/cached")


def test_value() -> None:
    embedder = FastEmbedEmbedder("BAAI/bge-small-en-v1.5")
    assert embedder.identity == "fastembed:BAAI/bge-small-en-v1.5"
    assert embedder == FastEmbedEmbedder("BAAI/bge-small-en-v1.5", download=False)
    assert embedder != FastEmbedEmbedder("BAAI/bge-base-en-v1.5")
    assert repr(embedder) == "FastEmbedEmbedder(model='BAAI/bge-small-en-v1.5', download=False)"


def test_queries_and_passages_are_told_apart() -> None:
    embedder = FastEmbedEmbedder("org/cached")
    np.testing.assert_allclose(embedder.embed(["a"], query=True), embedder.embed(["query: a"]), atol=1e-6)


def test_a_model_is_loaded_once_and_its_dimension_without_it() -> None:
    embedder = FastEmbedEmbedder("org/cached")
    assert embedder.dimension == 6
    assert not TextEmbedding.loaded
    embedder.embed(["a"])
    FastEmbedEmbedder("org/cached").embed(["b"], query=True)
    assert TextEmbedding.loaded == (("org/cached", True),)


def test_nothing_is_downloaded_unasked(log: Log) -> None:
    with pytest.raises(EmbeddingError, match=r"cannot load 'org/absent' from this machine .*download=True.*CACHE_PATH"):
        FastEmbedEmbedder("org/absent").embed(["a"])
    assert TextEmbedding.loaded == (("org/absent", True),)
    assert log.silenced == []


def test_download_when_asked() -> None:
    assert FastEmbedEmbedder("org/absent", download=True).embed(["a"]).shape == (1, 6)
    assert TextEmbedding.loaded == (("org/absent", False),)


@pytest.mark.parametrize("download", [False, True])
def test_errors_of_the_runtime_are_wrapped(download: bool) -> None:
    with pytest.raises(EmbeddingError, match=r"cannot load 'org/corrupt'.*Protobuf parsing failed"):
        FastEmbedEmbedder("org/corrupt", download=download).embed(["a"])


def test_model_that_does_not_exist() -> None:
    with pytest.raises(UnknownName, match="no model 'org/cache'; did you mean 'org/cached'"):
        FastEmbedEmbedder("org/cache").embed(["a"])


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(MissingExtra, match=r"The fastembed embedder needs.*pip install .*\[fastembed\]"):
        FastEmbedEmbedder("org/cached").embed(["x"])
    with pytest.raises(MissingExtra, match=r"pip install .*\[fastembed\]"):
        _ = FastEmbedEmbedder("org/cached").dimension
