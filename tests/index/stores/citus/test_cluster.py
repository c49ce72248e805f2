"""What a cluster does that one server does not: nodes that commit one after another, shards that move."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import IndexReadOnly, StoreError
from multihop.index.stores.postgres import citus, schema, store
from multihop.protocols import Lookup
from multihop.testing import sample_documents, sample_questions
from multihop.testing.contracts import HashEmbedder

from ....cli.command import run_json
from ....patience import ENOUGH
from ..postgres.test_concurrency import _look, _others, _version
from .cluster import Cluster

pytestmark = pytest.mark.citus
ROUNDS = 12


def _many(count: int) -> list[Document]:
    """Documents whose passages fall into many parts, and so into many shards."""
    return [
        Document(f"d{i:05}", f"Letter number {i} speaks of quarry{i % 97} and town{i % 89}.", f"Letter {i}")
        for i in range(count)
    ]


@pytest.fixture
def filled(cluster: Cluster, index: str) -> str:
    with Engine.open(cluster.address(index), create=True, distribute=True) as engine:
        # A batch that is full begins a part of its own, so that there are several.
        for start in range(0, 3000, 1000):
            engine.add(_many(3000)[start : start + 1000])
    return index


# --- mixed generations ---


@pytest.mark.parametrize("through", ["coordinator", "workers", "shards"])
def test_eight_readers_and_a_writer(cluster: Cluster, index: str, through: str) -> None:
    stop = threading.Event()
    with Engine.open(cluster.address(index), create=True, distribute=True) as engine, ThreadPoolExecutor(8) as pool:
        engine.add(_version(0))
        workers = cluster.workers
        places = [cluster.address(index)] if through == "coordinator" else [cluster.through(w, index) for w in workers]
        direct = "yes" if through == "shards" else "no"
        engines = [Engine.open(f"{places[i % len(places)]}&pool=2&direct={direct}") for i in range(8)]
        readers = [pool.submit(_look, each, stop) for each in engines]
        try:
            for number in range(1, ROUNDS):
                engine.add(_others(number))
        finally:
            stop.set()
        assert all(reader.result(ENOUGH) for reader in readers)
        for each in engines:
            each.close()


def test_a_node_that_shows_another_generation_is_waited_for(cluster: Cluster, filled: str) -> None:
    with Engine.open(cluster.address(filled)) as engine:
        generation = engine.store.generation
        stamp = f"UPDATE multihop_{filled}.part_stamp SET generation = {{}}"
        cluster.run(stamp.format(generation - 1))
        late = threading.Timer(0.5, cluster.run, [stamp.format(generation)])
        late.start()
        assert engine.store.view().generation == generation
        assert late.finished.is_set()
        late.join()


def test_a_change_waits_until_the_last_one_is_everywhere(
    cluster: Cluster, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(cluster.address(filled)) as engine:
        generation = engine.store.generation
        stamp = f"UPDATE multihop_{filled}.part_stamp SET generation = {{}}"
        cluster.run(stamp.format(generation - 1))
        monkeypatch.setattr(store, "_ASK_AGAIN", 0.2)
        with pytest.raises(StoreError, match="of different generations for 0 seconds, so nothing was changed"):
            engine.add(Document("new", "A text of quarry7"))
        monkeypatch.undo()
        late = threading.Timer(0.5, cluster.run, [stamp.format(generation)])
        late.start()
        engine.add(Document("new", "A text of quarry7"))
        late.join()
        assert engine.stats().passages == 3001


# --- shards that move ---


@pytest.mark.parametrize("direct", ["no", "yes"])
def test_an_open_view_stays_whole_while_shards_move(cluster: Cluster, filled: str, direct: str) -> None:
    target = cluster.workers[0]
    with Engine.open(f"{cluster.address(filled)}&direct={direct}") as engine:
        view = engine.store.view()
        before = [p.id for p in view.scan()]
        assert len(before) == 3000
        cluster.move_all(filled, target)
        assert [p.id for p in view.scan()] == before
        other = cluster.workers[-1]
        cluster.move_all(filled, other, "document")
        assert len(view.passages_of([f"d{i:05}" for i in range(0, 3000, 50)], 1)) == 60
        cluster.move_all(filled, other)
        for number in range(97):
            found = view.lexical([Lookup(f"quarry{number}", 200)])[0]
            assert {id for id, _ in found} == {f"d{i:05}#0" for i in range(number, 3000, 97)}
        fresh = engine.store.view()
        assert len(fresh.lexical([Lookup("town7", 200)])[0]) == len(range(7, 3000, 89))


def test_shards_move_while_the_index_can_be_written(cluster: Cluster, filled: str) -> None:
    """As a rebalancing does, over logical replication: every table needs a replica identity."""
    [(shard, node), *_] = cluster.shards(filled)
    target = next(worker for worker in cluster.workers if worker != node)
    cluster.move(shard, node, target, "auto")
    assert dict(cluster.shards(filled))[shard] == target
    with Engine.open(cluster.address(filled)) as engine:
        assert engine.stats().passages == 3000
        assert all(check.ok for check in engine.check(repair=False))


def test_readers_a_writer_and_moves_at_once(cluster: Cluster, index: str) -> None:
    stop, tried = threading.Event(), threading.Semaphore(0)
    with Engine.open(cluster.address(index), create=True, distribute=True) as engine, ThreadPoolExecutor(5) as pool:
        engine.add(_version(0))
        engines = [Engine.open(f"{cluster.address(index)}&pool=2&direct={direct}") for direct in ("no", "yes") * 2]
        readers = [pool.submit(_look, each, stop) for each in engines]
        moved = pool.submit(_moving, cluster, index, stop, tried)
        try:
            for number in range(1, 6):
                _add_in_the_end(engine, number, tried)
        finally:
            stop.set()
        assert all(reader.result(ENOUGH) for reader in readers)
        assert moved.result(ENOUGH)
        assert all(check.ok for check in engine.check(repair=False))
        for each in engines:
            each.close()


def _add_in_the_end(engine: Engine, number: int, tried: threading.Semaphore) -> None:
    """Add until no shard has moved meanwhile."""
    while True:
        try:
            engine.add(_others(number))
            return
        except StoreError as error:
            assert "was moved during a change, which was undone" in str(error)
        finally:
            tried.release()


def _moving(cluster: Cluster, index: str, stop: threading.Event, tried: threading.Semaphore) -> int:
    """Move one shard after another, each time until a change that began later was tried undisturbed."""
    moves, workers = 0, cluster.workers
    while not stop.is_set() or not moves:
        shards = cluster.shards(index)
        shard, node = shards[moves % len(shards)]
        cluster.move(shard, node, next(w for w in (workers[moves % 2], *workers) if w != node))
        moves += 1
        while tried.acquire(blocking=False):
            pass
        for _ in range(2):
            # The last change may have been tried while the shard moved: then there is nobody to wait for any more.
            while not (stop.is_set() or tried.acquire(timeout=0.1)):
                pass
    return moves


def test_a_change_under_which_a_shard_moves_is_undone(cluster: Cluster, filled: str) -> None:
    def moving() -> Iterator[Document]:
        yield Document("new", "A text of quarry7")
        [(shard, node), *_] = cluster.shards(filled)
        cluster.move(shard, node, next(worker for worker in cluster.workers if worker != node))

    with Engine.open(cluster.address(filled)) as engine:
        with pytest.raises(StoreError, match="was moved during a change, which was undone; try again"):
            engine.add(moving())
        assert engine.stats().passages == 3000
        engine.add(Document("new", "A text of quarry7"))
        assert engine.stats().passages == 3001


# --- through workers ---


def test_a_worker_is_read_and_not_written(cluster: Cluster, filled: str) -> None:
    for worker in cluster.workers:
        with Engine.open(cluster.through(worker, filled)) as engine:
            assert engine.store.view().size == 3000
            assert len(engine.store.view().lexical([Lookup("quarry7", 200)])[0]) == len(range(7, 3000, 97))
            with pytest.raises(IndexReadOnly, match=r"is a worker of a Citus cluster, nothing was changed.*; write to"):
                engine.add(Document("new", "A text"))
            with pytest.raises(IndexReadOnly, match="is a worker"):
                engine.delete("d00001")
        with pytest.raises(IndexReadOnly, match="is a worker"):
            Engine.open(cluster.through(worker, f"{filled}_other"), create=True)


# --- nodes that are away ---


def test_a_node_that_is_away_fails_questions_or_is_left_out(
    cluster: Cluster, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = cluster.workers[0]
    gone = {shard for shard, node in cluster.shards(filled) if node == dead}
    assert 0 < len(gone) < len(cluster.shards(filled))
    monkeypatch.setattr("multihop.index.stores.postgres.shards._LOOK_AGAIN", 0.0)
    with (
        Engine.open(cluster.address(filled)) as strict,
        Engine.open(f"{cluster.address(filled)}&partial=yes") as engine,
    ):
        whole = engine.retrieve("quarry7 of Letter 104", k=5, strategy="auto-fast")
        assert not any(note.code == "nodes-away" for note in whole.trace.notes)
        with cluster.unreachable(dead):
            with pytest.raises(StoreError, match=f"connection to the remote node .*{dead.host}"):
                strict.retrieve("quarry7", k=5, strategy="bm25")
            view = engine.store.view()
            left = [passage.id for passage in view.scan()]
            assert view.size == len(left) < 3000
            note = f"nodes of the cluster are away ({dead.host}:1): only {len(left):,} of 3,000 passages were searched"
            assert [each.text for each in view.notes] == [note]
            for number in range(97):
                found = {id for id, _ in view.lexical([Lookup(f"quarry{number}", 200)])[0]}
                assert found == {id for id in left if int(id[1:6]) % 97 == number}
            named = view.find_names([f"Letter {i}" for i in range(0, 3000, 50)])
            meant = {document for mentions in named for mention in mentions for document in mention.documents}
            assert set(view.passages_of(sorted(meant), 1)) <= {id.partition("#")[0] for id in left}
            for strategy in ("bm25", "auto-fast", "graph", "replace"):
                result = engine.retrieve("quarry7 of Letter 104", k=5, strategy=strategy)
                assert {e.passage.id for e in result} <= set(left)
                assert note in [each.text for each in result.trace.notes]
            for refused in (engine.stats, engine.check, lambda: engine.add(Document("new", "A text"))):
                with pytest.raises(StoreError, match=f"{dead.host}:1"):
                    refused()
        again = engine.retrieve("quarry7 of Letter 104", k=5, strategy="auto-fast")
        assert [e.passage.id for e in again] == [e.passage.id for e in whole]
        assert strict.stats().passages == engine.stats().passages == 3000


# --- growing up ---


def test_a_migration_of_a_distributed_index(cluster: Cluster, filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ALTER TABLE relation ADD COLUMN later integer; CREATE TABLE later (id text PRIMARY KEY, words text)"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, text))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(citus, "EVERYWHERE", (*schema.EVERYWHERE, "later"))
    with Engine.open(cluster.address(filled), create=True) as engine:
        assert engine.stats().passages == 3000
        engine.add(Document("new", "A text of quarry7"))
        assert engine.store.view().lexical([Lookup("text", 5)])[0][0][0] == "new#0"
    placed = f"SELECT partmethod FROM pg_dist_partition WHERE logicalrelid = 'multihop_{filled}.later'::regclass"
    assert cluster.run(placed) == [("n",)]


def test_an_index_that_was_there_is_distributed_with_what_is_in_it(cluster: Cluster, index: str) -> None:
    with Engine.open(cluster.address(index), create=True) as engine:
        engine.add(_many(50))
        early = engine.store.view()
        with Engine.open(cluster.address(index), create=True, distribute=True) as spread:
            assert [p.id for p in spread.store.view().scan()] == [p.id for p in early.scan()]
            spread.add(Document("new", "A text of quarry7"))
        # The one that opened it before finds the stamps, too.
        assert engine.store.view().size == 51
        assert len(engine.store.nodes()) == len(cluster.workers) + 1  # type: ignore[attr-defined]  # only this store


def test_a_copy_is_distributed_and_equal(cluster: Cluster, index: str, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "here.mh", create=True, embedder=HashEmbedder()) as here:
        here.add(sample_documents())
        here.relate()
    copied = run_json("copy", str(tmp_path / "here.mh"), cluster.address(index), "--distribute")
    assert copied["copied"] == len(list(sample_documents()))
    with (
        Engine.open(tmp_path / "here.mh", embedder=HashEmbedder()) as here,
        Engine.open(cluster.address(index), embedder=HashEmbedder()) as there,
        Engine.open(f"{cluster.address(index)}&direct=yes", embedder=HashEmbedder()) as direct,
    ):
        assert len(there.store.nodes()) > 1  # type: ignore[attr-defined]  # only this store has nodes
        for question in sample_questions():
            for strategy in ("bm25", "dense", "graph", "auto"):
                found = [engine.retrieve(question.text, k=7, strategy=strategy) for engine in (here, there, direct)]
                evidence = [[e.passage for e in result] for result in found]
                assert evidence[0] == evidence[1] == evidence[2], (question.text, strategy)
