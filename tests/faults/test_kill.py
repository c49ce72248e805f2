"""Whoever is killed, the writer, a backend or the server: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from multihop.engine import Engine
from multihop.errors import IndexNotFound, StoreError
from multihop.index.copying import copy
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import open_store
from multihop.index.stores.core import search
from multihop.testing.contracts import HashEmbedder, found, links, near
from multihop.types import Document, Relation

from ..forking import PIPE, Started
from ..index.stores.postgres.server import HALVES, Server
from ..patience import patience
from ..reliability.soak import rounds
from . import writer
from .process import environment

pytestmark = pytest.mark.release  # processes are killed over and over

IMPORTED = ("multihop.engine", "multihop.testing.contracts", "multihop.index.stores.postgres.store")
MOST = 3
"""So many changes at most a writer may finish before it is killed …"""
LONGEST = 0.06
"""… so many seconds, at most, into the next one: two or three times what a change takes."""

_PLACES = count()

Kill = Callable[[int], None]
"""Ends something in the middle of what a child, given by its number, is doing."""


class Held(NamedTuple):
    """What an index holds: documents, each with its version, and which are related."""

    versions: dict[int, int]
    related: frozenset[tuple[int, int]]


def kill_writer(child: int) -> None:
    # It may have ended on its own already: its server was gone.
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


@pytest.fixture(params=["folder", "server: writer", "server: backend", "server: all of it"])
def victim(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Callable[[], str], Kill]:
    """Where indexes are made, and who is killed."""
    if request.param == "folder":
        return lambda: str(tmp_path / f"{next(_PLACES)}.mh"), kill_writer
    postgres: Server = request.getfixturevalue("postgres")

    def place() -> str:
        # The server of the tests does not wait for its log to be written; who may be killed has to.
        return postgres.address(f"kill{os.getpid()}_{next(_PLACES)}", options="-c%20synchronous_commit%3Don")

    kills: dict[str, Kill] = {
        "writer": kill_writer, "backend": partial(kill_backend, postgres), "all of it": partial(kill_server, postgres)
    }  # fmt: skip
    return place, kills[request.param.partition(": ")[2]]


def kill_backend(postgres: Server, child: int) -> None:
    working = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with psycopg.connect(f"postgresql://postgres@/postgres?host={postgres.folder}", autocommit=True) as beside:
        for (backend,) in beside.execute(f"{working} ORDER BY state = 'active' DESC LIMIT 1").fetchall():
            try:
                os.kill(backend, signal.SIGKILL)
            except ProcessLookupError:  # It had finished, and nobody else's connection is closed.
                continue
            # The server closes everybody's connection as soon as it notices, unless the backend was about to end.
            with patience(), suppress(psycopg.Error):
                while beside.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend]).fetchone():
                    time.sleep(0.01)
                beside.execute("SELECT pg_sleep(1)")
    _until_it_answers(postgres)
    kill_writer(child)


def kill_server(postgres: Server, child: int) -> None:
    postgres.stop(at_once=True)
    postgres.start()
    _until_it_answers(postgres)
    kill_writer(child)


def _until_it_answers(postgres: Server) -> None:
    """Wait until a server that lost a backend has read its log again."""
    with patience():
        while True:
            try:
                postgres.run("SELECT 1")
            except psycopg.Error:
                time.sleep(0.05)
            else:
                return


class Workers:
    """Starts children that work on an index, and has them killed."""

    def __init__(self, process: Started, kill: Kill) -> None:
        self.process = process
        self.kill = kill
        self.done = self.begun = 0

    def interrupted(self, command: str, changes: int, delay: float) -> list[str]:
        """Kill a child some time after it has finished so many changes, and give what it said."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        said: list[str] = []
        child = 0
        for line in self.process.stdout:
            kind, *rest = line.split()
            if kind == "over":
                break
            if kind == "writing":
                child = int(rest[0])
            else:
                said.append(line.strip())
            if (
                child
                and any(s.startswith("begin") for s in said)
                and sum(s.startswith("done") for s in said) >= changes
            ):
                time.sleep(delay)
                self.kill(child)
                child = 0
        self.begun += sum(line.startswith("begin") for line in said)
        self.done += sum(line.startswith("done") for line in said)
        return said


def _exact(place: str) -> int:
    """Say how few vectors have a cache or an approximate index: so few that a kill has a chance to hit it."""
    return 12 if HALVES or "://" not in place else search.EXACT


@pytest.fixture
def working(victim: tuple[Callable[[], str], Kill]) -> Iterator[tuple[str, Workers]]:
    place, kill = victim[0](), victim[1]
    with Started(
        [sys.executable, writer.__file__, place, str(_exact(place))],
        environment(),
        imports=IMPORTED,
        stdin=PIPE,
        stdout=PIPE,
    ) as process:
        yield place, Workers(process, kill)
        assert process.stdin is not None
        process.stdin.close()


def _after(known: Held, said: list[str]) -> tuple[Held, Held]:
    """Say what must be there by what was acknowledged, and what may be there instead: the last change as well."""
    before = after = known
    for line in said:
        kind, *rest = line.split()
        if kind == "done":
            before = after
        elif kind == "begin":
            ids = [int(id) for id in rest[2].split(",")] if rest[2:] else []
            if rest[0] == "relate":
                after = before._replace(related=before.related | ({(ids[0], ids[1])} if ids else set()))
                continue
            kept = {id: version for id, version in before.versions.items() if id not in ids}
            related = frozenset(pair for pair in before.related if not {*pair} & {*ids})
            after = Held(kept | dict.fromkeys(ids, int(rest[1])) if rest[0] == "add" else kept, related)
    return before, after


def _there(engine: Engine) -> Held:
    documents = [engine.document(id) for id in engine.store.document_ids()]
    versions = {int(d.id): int(str(d.metadata["version"])) for d in documents if d is not None}
    related = engine.store.view().relations_from([f"{id}#0" for id in versions])
    return Held(versions, frozenset((int(r.source.split("#")[0]), int(r.target.split("#")[0])) for r in related))


def _seen_by(watching: Engine) -> Held:
    """What an engine sees that was open all the while; whose server died under it is told to ask again."""
    try:
        watching.refresh()
        return _there(watching)
    except StoreError as error:
        assert "ask again" in str(error)
        watching.refresh()
        return _there(watching)


def _assert_whole(engine: Engine, versions: dict[int, int]) -> None:
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
    # A kill may come before the approximate index of new vectors: nothing is lost, and it is made when told to.
    if any(check.detail == "0 missing, no approximate index" for check in engine.check(repair=False)):
        engine.check(repair=True)
    assert [check for check in engine.check(repair=False) if not check.ok] == []


def test_what_was_acknowledged_survives_every_kill(
    working: tuple[str, Workers], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, workers = working
    monkeypatch.setattr(search, "EXACT", _exact(place))
    times = rounds(8, 200) if workers.kill is kill_writer and "://" not in place else rounds(3, 70)
    draw = random.Random(11)
    known = Held({}, frozenset())
    watching = Engine.open(place, create=True, embedder=HashEmbedder())
    for seed in range(1, 10 * times + 1):
        said = workers.interrupted(f"write {seed}", draw.randint(0, MOST), draw.uniform(0, LONGEST))
        before, after = _after(known, said)
        with Engine.open(place, embedder=HashEmbedder()) as engine:
            known = _there(engine)
            assert known in (before, after)
            _assert_whole(engine, known.versions)
            assert _seen_by(watching) == known
        # A few kills may all fall between two changes.
        if seed >= times and workers.begun > workers.done:
            break
    _assert_whole(watching, known.versions)
    watching.close()
    told = f"{seed} kills: {workers.done} changes were acknowledged, {workers.begun - workers.done} were cut short\n"
    sys.stderr.write(told)
    # The writer was alive long enough to do something, and was hit in the middle of it.
    assert workers.done >= times
    assert workers.begun > workers.done


def _filled(place: str) -> Held:
    """Make an index with documents of every size and some relations, and say what it holds."""
    pairs = [(id, (id * 7 + 1) % writer.IDS) for id in range(0, writer.IDS, 3)]
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        engine.add(writer.document(id, id) for id in range(writer.IDS))
        engine.store.relate(Relation(f"{a}#0", f"{b}#0", "SUPPORTS", 0.5, "said so", "test") for a, b in pairs)
        return _there(engine)


def test_a_copy_that_is_killed_holds_whole_documents_and_can_be_finished(
    victim: tuple[Callable[[], str], Kill], working: tuple[str, Workers]
) -> None:
    place, workers = working
    source = _filled(place)
    draw = random.Random(5)
    interrupted, longest = 0, 8 * LONGEST
    most = asked = rounds(2, 25)
    while most > 0 or not interrupted:
        most -= 1
        if most < 0:
            longest /= 2  # this machine is fast: sooner or later the kill comes before the end
        target = victim[0]()
        workers.interrupted(f"copy {place} {target}", 0, draw.uniform(0, longest))
        try:
            with Engine.open(target, embedder=HashEmbedder()) as engine:
                held = _there(engine)
                assert held.versions.items() <= source.versions.items()
                assert held.related in (frozenset(), source.related)
                _assert_whole(engine, held.versions)
                interrupted += held != source
        except IndexNotFound:
            interrupted += 1
        copy(partial(open_store, place, MentionLinker()), partial(open_store, target, MentionLinker()))
        with Engine.open(target, embedder=HashEmbedder()) as engine:
            assert _there(engine) == source
            _assert_whole(engine, source.versions)
    sys.stderr.write(f"{asked - most} copies: {interrupted} were cut short, all were finished\n")
    assert interrupted


def test_a_migration_that_is_killed_is_done_or_begun_anew(
    victim: tuple[Callable[[], str], Kill],
    working: tuple[str, Workers],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, workers = working
    draw = random.Random(9)
    old = tmp_path / "old.mh"
    expected = _filled(str(old))
    finished, times = 0, rounds(2, 25)
    for _ in range(times):
        place = victim[0]()
        if "://" in place:
            _filled(place)
        else:
            shutil.copytree(old, place)
        workers.interrupted(f"migrate {place}", 0, draw.uniform(0, 2 * LONGEST))
        with monkeypatch.context() as newer:
            for change in writer.NEWER:
                newer.setattr(*change)
            with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
                held = _there(engine).versions
                assert held in (expected.versions, expected.versions | {0: 1})
                finished += held != expected.versions
                _assert_whole(engine, held)
                engine.add(writer.document(0, 4))
                _assert_whole(engine, held | {0: 4})
    sys.stderr.write(f"{times} migrations: {times - finished} were cut short, all were finished\n")


def test_an_index_that_is_killed_while_it_is_made_is_there_or_can_be_made(
    victim: tuple[Callable[[], str], Kill], working: tuple[str, Workers]
) -> None:
    _, workers = working
    draw = random.Random(3)
    none = empty = 0
    times = rounds(4, 60)
    for _ in range(times):
        place = victim[0]()
        workers.interrupted(f"create {place}", 0, 8 * LONGEST * draw.random() ** 3)
        try:
            with Engine.open(place, embedder=HashEmbedder()) as engine:
                held = _there(engine).versions
                assert held in ({}, {0: 1})
                _assert_whole(engine, held)
                empty += not held
        except IndexNotFound:
            held = {}
            none += 1
        with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
            engine.add(writer.document(1, 4))
            _assert_whole(engine, held | {1: 4})
    sys.stderr.write(f"{times} indexes: {none} were cut short before they were there, {empty} before a document was\n")


def test_an_index_that_was_only_just_made_knows_its_embedder(
    victim: tuple[Callable[[], str], Kill], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the making of an index and its first document leaves one that opens as it was meant."""
    place = victim[0]()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        for store in ("sqlite.store.EmbeddedStore", "postgres.store.PostgresStore"):
            dying.setattr(f"multihop.index.stores.{store}.recorded_embedder", property(killed))
        with pytest.raises(KeyboardInterrupt):
            Engine.open(place, create=True, embedder=HashEmbedder())
    with Engine.open(place, embedder=HashEmbedder()) as engine:
        engine.add([writer.document(0, 1)])
        _assert_whole(engine, {0: 1})
