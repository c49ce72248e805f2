"""Fixtures shared by all tests, beside those that ship in `multihop.testing.fixtures`.

No extra is imported before a test asks for it, so that the tests of one part run where only the core is installed.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from .disturbance import SETTING, key_of, noise
from .patience import ENOUGH
from .reliability.soak import examples

# Hundreds of processes are started; none compiles the package or the tests anew, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Until all tests are collected, next to nothing can be freed: looking for it takes a sixth of the time.
gc.disable()
# No test depends on speed: an example may take as long as it takes. Fixtures that outlive an example are read only.
_UNHURRIED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
# Where a run must be repeatable, the same examples are tried each time; elsewhere new ones may find something.
for _name, _repeatable in (("repeatable", True), ("searching", False)):
    settings.register_profile(
        _name, examples(100), deadline=None, suppress_health_check=_UNHURRIED, derandomize=_repeatable
    )
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
# What numba compiles for bm25s takes seconds in every process, and ranks a small corpus no sooner.
os.environ["NUMBA_DISABLE_JIT"] = "1"
# Hundreds of processes are started; in each, numpy would start threads that nothing here is large enough for.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from multihop import Engine  # noqa: E402
from multihop.index.readers import isolated  # noqa: E402
from multihop.index.readers.limits import ReadLimits  # noqa: E402
from multihop.models.ranker import Ranker, ranker  # noqa: E402
from multihop.testing import sample_documents  # noqa: E402

from .readings import KeptModel, kept_in  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .index.stores.postgres.server import Server

pytest_plugins = ["multihop.testing.fixtures"]
LONGEST = (
    "server/test_serve.py",
    "adapters/test_mcp_process.py",
    "faults/test_kill.py",
    "tests/test_docs.py",
    "tests/test_examples.py",
    "faults/test_disk.py",
    "reliability/test_model.py",
    "reliability/test_repeatability.py",
    "tests/test_console.py",
    "lm/test_strategies.py",
    "lm/test_injection.py",
    "cli/test_optimize.py",
    "evaluation/test_runs.py",
)
"""Files that take longest, the longest first. They are begun first: none is to run alone when all others are done."""
SEEDS = os.environ.get(SETTING, "").split()
_numbers = count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((place for place, name in enumerate(LONGEST) if path.endswith(name)), len(LONGEST))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Let the collector pass over what was imported and collected: all of it stays until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Give the folder of this run: its workers, where it has several, have theirs inside it."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat every test under each seed, where there are some."""
    if SEEDS:
        metafunc.parametrize("_seed", SEEDS, indirect=True)


@pytest.fixture(autouse=True)
def _seed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if SEEDS:
        monkeypatch.setenv(SETTING, request.param)


@pytest.fixture(scope="session", autouse=True)
def _each_text_is_read_once(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what the models say, and disturb the scores of the ranker where there are seeds."""
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)  # pytest -p no:cacheprovider has none
    shared = cache.mkdir("readings") if cache else shared_folder(tmp_path_factory) / "readings"
    shared.mkdir(exist_ok=True)
    read = Ranker.score

    def disturbed(model: Ranker, question: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        scores = read(model, question, pairs)
        if model is ranker():  # not one that a test made
            scores += np.array([noise(key_of(question, pair)) for pair in pairs], np.float32)
        return scores

    with kept_in(shared), pytest.MonkeyPatch.context() as patch:
        if SEEDS:
            patch.setattr(Ranker, "score", disturbed)
        yield


@pytest.fixture
def read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the models of the package read whatever they are given, however often, other than in all other tests."""
    monkeypatch.setattr(KeptModel, "run", lambda kept, *given: kept.model.run(*given))


@pytest.fixture(scope="session", autouse=True)
def _files_may_take_long() -> Iterator[None]:
    """Let a file be read for as long as it takes: on a busy machine a process may need a minute to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "ReadLimits", partial(ReadLimits, seconds=ENOUGH))
        yield


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
