from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.testing.contracts import HashEmbedder, found, links, near
from multihop.types import Document

from ..reliability.soak import rounds
from . import writer
from .process import environment

ROUNDS = rounds(30, 200)
MOST = 3
"""So many changes at most a writer may finish before it is killed …"""
LONGEST = 0.06
"""… so many seconds, at most, into the next one: two or three times what a change takes."""

Versions = dict[int, int]
"""Which documents are there, each with its version."""


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, writer.__file__, str(tmp_path / "index")],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _let_write_and_kill(process: subprocess.Popen[str], seed: int, changes: int, delay: float) -> list[str]:
    """Kill the writer some time after it has finished so many changes, and give what it said."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{seed}\n")
    said: list[str] = []
    child = 0
    for line in process.stdout:
        kind, *rest = line.split()
        if kind == "over":
            break
        if kind == "writing":
            child = int(rest[0])
        else:
            said.append(line.strip())
        if child and sum(line.startswith("done") for line in said) >= changes:
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
            child = 0
    return said


def _after(known: Versions, said: list[str]) -> tuple[Versions, Versions]:
    """Say what must be there by what was acknowledged, and what may be there instead: the last change as well."""
    before = after = known
    for line in said:
        kind, *rest = line.split()
        if kind == "done":
            before = after
        else:
            ids = [int(id) for id in rest[2].split(",")]
            kept = {id: version for id, version in before.items() if id not in ids}
            after = kept | dict.fromkeys(ids, int(rest[1])) if rest[0] == "add" else kept
    return before, after


def _there(engine: Engine) -> Versions:
    documents = [engine.document(id) for id in engine.store.document_ids()]
    return {int(d.id): int(str(d.metadata["version"])) for d in documents if d is not None}


def _assert_whole(engine: Engine, versions: Versions) -> None:
    """Every document is there with all its passages, links and vectors, and no other."""
    view = engine.store.view()
    expected: dict[str, Document] = {str(id): writer.document(id, version) for id, version in versions.items()}
    passages = view.passages_of(expected, 9)
    assert {id: len(ids) for id, ids in passages.items()} == {str(id): 1 + v % 3 for id, v in versions.items()}
    for id, version in versions.items():
        assert engine.document(str(id)) == expected[str(id)]
        named = (id + 1) % writer.IDS
        for n, passage in enumerate(passages[str(id)]):
            assert found(view, f"unique{id}v{version}n{n}") == [passage]
            assert links(view, passage) == ({(str(named), f"entity{named}x")} if named in versions else set())
    stats = engine.stats()
    assert stats.documents == len(versions)
    assert stats.vectors == stats.passages == view.size == sum(map(len, passages.values()))
    assert len(near(view, "here stands", 500)) == view.size
    assert [check for check in engine.check(repair=False) if not check.ok] == []


def test_what_was_acknowledged_survives_every_kill(
    tmp_path: Path, process: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop.index.stores.core.search.EXACT", 12)
    draw = random.Random(11)
    known: Versions = {}
    folder = tmp_path / "index"
    watching = Engine.open(folder, create=True, embedder=HashEmbedder())
    begun = done = 0
    for seed in range(1, ROUNDS + 1):
        said = _let_write_and_kill(process, seed, draw.randint(0, MOST), draw.uniform(0, LONGEST))
        begun += sum(line.startswith("begin") for line in said)
        done += sum(line.startswith("done") for line in said)
        before, after = _after(known, said)
        with Engine.open(folder, embedder=HashEmbedder()) as engine:
            known = _there(engine)
            assert known in (before, after)
            _assert_whole(engine, known)
            watching.refresh()
            assert _there(watching) == known
    _assert_whole(watching, known)
    watching.close()
    # The writer was alive long enough to do something, and was hit in the middle of it.
    assert done > ROUNDS
    assert begun > done
