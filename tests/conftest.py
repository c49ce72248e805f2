"""Fixtures shared by all tests, beside those that ship in `multihop.testing.fixtures`.

No extra is imported before a test asks for it, so that the tests of one part run where only the core is installed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

# No test depends on speed: an example may take as long as it takes. Fixtures that outlive an example are read only.
_UNHURRIED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
# Where a run must be repeatable, the same examples are tried each time; elsewhere new ones may find something.
settings.register_profile("repeatable", deadline=None, suppress_health_check=_UNHURRIED, derandomize=True)
settings.register_profile("searching", deadline=None, suppress_health_check=_UNHURRIED)
settings.load_profile("repeatable" if os.environ.get("CI") else "searching")

# Thousands of transactions are made durable here, at milliseconds each on a disk. What is tested, that a process may
# die at any moment, is the same in memory; what a power cut does cannot be tested either way.
MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Before anything imports a framework: none of them reports home from a test, or keeps a cache beyond it.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "false"
os.environ["DSPY_CACHEDIR"] = tempfile.mkdtemp(prefix="multihop-tests-")
atexit.register(shutil.rmtree, os.environ["DSPY_CACHEDIR"], ignore_errors=True)

from multihop import Engine  # noqa: E402
from multihop.testing import sample_documents  # noqa: E402

if TYPE_CHECKING:
    from .index.stores.postgres.server import Server

pytest_plugins = ["multihop.testing.fixtures"]
_numbers = count()


@pytest.fixture(scope="session")
def sample_with_vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample corpus with the static embedder that ships in a wheel. Read only."""
    from multihop.index.embedders import WordLlamaEmbedder

    folder: Path = tmp_path_factory.mktemp("vectors") / "sample.mh"
    with Engine.open(folder, create=True, embedder=WordLlamaEmbedder()) as engine:
        engine.add(sample_documents())
        yield engine


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server for all tests that want one; it goes with its data when they are over."""
    from .index.stores.postgres.server import Server

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
