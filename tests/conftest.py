"""Fixtures shared by all tests: the sample index, built once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Engine
from multihop.embedders import WordLlamaEmbedder
from multihop.testing import sample_documents


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample corpus without an embedder. Read only: tests that write make their own index."""
    with Engine.open(tmp_path_factory.mktemp("sample") / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
        yield engine


@pytest.fixture(scope="session")
def sample_with_vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample corpus with the static embedder that ships in a wheel. Read only."""
    folder: Path = tmp_path_factory.mktemp("vectors") / "sample.mh"
    with Engine.open(folder, create=True, embedder=WordLlamaEmbedder()) as engine:
        engine.add(sample_documents())
        yield engine
