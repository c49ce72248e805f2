from __future__ import annotations

import sys

import pytest

from multihop.errors import InvalidInput, MissingExtra, UnknownName
from multihop.index.embedders import (
    OpenAICompatibleEmbedder,
    WordLlamaEmbedder,
    open_embedder,
)
from multihop.protocols import Embedder


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(
    ("spec", "embedder"),
    [
        ("wordllama", WordLlamaEmbedder(256)),
        (" wordllama ", WordLlamaEmbedder(256)),
        ("wordllama:128", WordLlamaEmbedder(128)),
        ("wordllama:l2_supercat:64", WordLlamaEmbedder(64)),
        ("openai:bge@http://localhost:8080/v1", OpenAICompatibleEmbedder("http://localhost:8080/v1", "bge")),
        ("openai:@cf/bge@https://h/v1", OpenAICompatibleEmbedder("https://h/v1", "@cf/bge")),
    ],
)
def test_specs(spec: str, embedder: Embedder) -> None:
    assert open_embedder(spec) == embedder


def test_the_identity_of_wordllama_opens_it_again() -> None:
    embedder = WordLlamaEmbedder(128)
    assert open_embedder(embedder.identity) == embedder


def test_api_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\n")
    embedder = open_embedder("openai:m@http://localhost/v1")
    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert embedder.api_key == "sk-secret"
    assert "secret" not in repr(embedder)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("wordlama", "unknown embedder 'wordlama'; did you mean 'wordllama'"),
        ("sentence-transformer:x", "did you mean 'sentence-transformers'"),
        ("", "known: encoder, fastembed, openai, sentence-transformers, wordllama"),
    ],
)
def test_unknown_kinds(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        open_embedder(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("wordllama:big", "'wordllama:big' names no dimension; expected: wordllama or wordllama:128"),
        ("wordllama:100", "allowed: 64, 128, 256"),
        ("openai", "names no model; expected: openai:MODEL@"),
        ("openai:model", "does not name a model and an address"),
        ("openai:model@localhost:8080", "does not name a model and an address"),
        ("openai:model@http://", "does not name a model and an address"),
    ],
)
def test_malformed_specs(spec: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        open_embedder(spec)


@pytest.mark.parametrize("kind", ["wordllama", "fastembed", "sentence-transformers"])
def test_a_missing_extra_is_named_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, kind.replace("-", "_"), None)
    with pytest.raises(MissingExtra, match=rf"The {kind} embedder.*pip install .*\[{kind}\]"):
        open_embedder(f"{kind}:some/model")
