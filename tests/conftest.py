"""Fixtures shared by all tests: the sample index, built once."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

# Where a run must be repeatable, the same examples are tried each time; elsewhere new ones may find something.
settings.register_profile("repeatable", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("repeatable")

# Before anything imports a framework: none of them reports home from a test, or keeps a cache beyond it.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "false"
os.environ["DSPY_CACHEDIR"] = tempfile.mkdtemp(prefix="multihop-tests-")
atexit.register(shutil.rmtree, os.environ["DSPY_CACHEDIR"], ignore_errors=True)

# Before anything imports the contract suites: their asserts are to be rewritten like those of tests.
pytest.register_assert_rewrite("multihop.testing.contracts")

from multihop import Engine  # noqa: E402
from multihop.index.embedders import WordLlamaEmbedder  # noqa: E402
from multihop.testing import sample_documents  # noqa: E402

from .index.stores.postgres.server import Server  # noqa: E402

_numbers = count()


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


@pytest.fixture(scope="session")
def sample_with_relations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample corpus with the relations between its passages, without an embedder. Read only."""
    with Engine.open(tmp_path_factory.mktemp("relations") / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
        engine.relate()
        yield engine


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server for all tests that want one; it goes with its data when they are over."""
    # The folders of pytest are closed to others, and the server of a root user runs as somebody else.
    with tempfile.TemporaryDirectory(prefix="multihop-pg-") as folder:
        running = Server(Path(folder) / "data")
        yield running
        running.close()


@pytest.fixture
def address(postgres: Server) -> Iterator[str]:
    """The address of an index on the server that does not exist yet."""
    name = f"test{next(_numbers)}"
    yield postgres.address(name)
    postgres.run(f"DROP SCHEMA IF EXISTS multihop_{name} CASCADE")
