"""Fixtures for tests of one's own parts. Load them with this line in the topmost conftest.py:

pytest_plugins = ["multihop.testing.fixtures"]

None needs an extra; what they open is closed when the test, or for `sample…` the whole run, is over.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

# Before anything imports the contract suites: their asserts are to be rewritten like those of tests.
pytest.register_assert_rewrite("multihop.testing.contracts")

from multihop.engine import Engine  # noqa: E402
from multihop.index.links.mentions import MentionLinker  # noqa: E402
from multihop.index.stores import EmbeddedStore  # noqa: E402
from multihop.protocols import Embedder  # noqa: E402
from multihop.testing.contracts.corpus import StoreFactory  # noqa: E402
from multihop.testing.sample import sample_documents  # noqa: E402

SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  # a new folder of its own is made there
"""Where there is a disk in memory, the many small commits of the contracts are quick there."""


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Make failures printable: half a surrogate pair cannot be sent to another process as it is.

    The contract suites try such texts, and pytest-xdist would end the whole run with an error of its own.
    """
    return _encodable((yield))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(name): _encodable(inner) for name, inner in value.items()}
    return type(value)(map(_encodable, value)) if isinstance(value, list | tuple) else value


@contextmanager
def stores() -> Iterator[StoreFactory]:
    """Open new and empty stores, with an embedder or without, and close them in the end.

    A fixture `store_factory` of the scope of a module may give it where no test changes a store: what the contracts of
    parts read is then made once.
    """
    numbers = count()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder, ExitStack() as opened:

        def make(embedder: Embedder | None = None) -> EmbeddedStore:
            path = Path(folder) / str(next(numbers))
            return opened.enter_context(closing(EmbeddedStore(path, MentionLinker(), create=True, embedder=embedder)))

        yield make


@pytest.fixture
def store_factory() -> Iterator[StoreFactory]:
    """Open new and empty stores, with an embedder or without."""
    with stores() as make:
        yield make


@contextmanager
def _open_store(folder: Path) -> Iterator[Engine]:
    with Engine.open(folder / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
        yield engine


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an index of the sample corpus, and close it. Read only: tests that write copy its folder."""
    folder = tmp_path_factory.mktemp("index")
    with _open_store(folder):
        return folder / "sample.mh"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Open the sample corpus without an embedder. Read only: tests that write make their own index."""
    with _open_store(tmp_path_factory.mktemp("sample")) as engine:
        yield engine


@pytest.fixture(scope="session")
def sample_with_relations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Open the sample corpus with the relations between its passages, without an embedder. Read only."""
    with _open_store(tmp_path_factory.mktemp("relations")) as engine:
        engine.relate()
        yield engine
