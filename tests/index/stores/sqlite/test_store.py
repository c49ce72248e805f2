from __future__ import annotations

import gc
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import tantivy

from multihop.engine import Engine
from multihop.errors import (
    EmbedderMismatch,
    EmbeddingError,
    FormatError,
    IndexLocked,
    IndexNotFound,
    InvalidInput,
    StoreError,
)
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import EmbeddedStore
from multihop.index.stores.sqlite import lexical, schema
from multihop.index.stores.sqlite.store import _IDS
from multihop.protocols import Embedder
from multihop.testing.contracts import HashEmbedder, StoreContract, fill, found, links, near
from multihop.types import Document

from ....forking import PIPE, Started
from ..growth import GrowthContract
from . import worker as script
from .worker import ROUNDS, round_of

DOCUMENTS = (
    Document("a", "Granite near Rome.", "Alpha", {"n": 1}),
    Document("b", "Granite in Paris.\n\nMarble too.", "Beta", {"n": 2}),
    Document("rome", "A city of marble.", "Rome"),
)


class TestEmbeddedStore(StoreContract):
    """The embedded store keeps the contract of every store."""


class TestGrowth(GrowthContract):
    """Long streams are committed in steps."""


_OPENED: list[EmbeddedStore] = []


@pytest.fixture(autouse=True)
def closed_in_the_end() -> Iterator[None]:
    yield
    while _OPENED:
        _OPENED.pop().close()


def opened(folder: Path, embedder: Embedder | None = None, *, create: bool = True, wait: float = 0.0) -> EmbeddedStore:
    """Open a store that is closed when the test is over."""
    _OPENED.append(EmbeddedStore(folder, MentionLinker(), create=create, embedder=embedder, wait=wait))
    return _OPENED[-1]


def reopen(folder: Path, embedder: Embedder | None = None, wait: float = 0.0) -> EmbeddedStore:
    return opened(folder, embedder, create=False, wait=wait)


def make(folder: Path, embedder: Embedder | None = None) -> Path:
    """Leave an index of a few documents behind, closed."""
    store = opened(folder, embedder)
    fill(store, *DOCUMENTS).close()
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return make(tmp_path / "index")


def assert_sound(store: EmbeddedStore) -> None:
    """Everything of DOCUMENTS is there, and searching finds it."""
    assert list(store.document_ids()) == ["a", "b", "rome"]
    assert sorted(found(store.view(), "granite marble")) == ["a#0", "b#0", "b#1", "rome#0"]
    assert links(store.view(), "a#0") == {("rome", "rome")}
    assert [c for c in store.verify(repair=False) if not c.ok] == []


# --- what lies at the path ---


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match=r"no index at .*nowhere.*multihop index"):
        reopen(tmp_path / "nowhere")
    with pytest.raises(IndexNotFound, match="no index at"):
        reopen(tmp_path)


@pytest.mark.parametrize("create", [False, True])
def test_a_foreign_folder_is_left_alone(tmp_path: Path, create: bool) -> None:
    (tmp_path / "letter.txt").write_text("Dear …")
    with pytest.raises(FormatError, match="folder without an index"):
        opened(tmp_path, create=create)
    with pytest.raises(FormatError, match="is a file; an index is a folder"):
        opened(tmp_path / "letter.txt", create=create)
    assert [f.name for f in tmp_path.iterdir()] == ["letter.txt"]


def test_what_a_killed_process_left_of_an_index_is_none_and_becomes_one(tmp_path: Path) -> None:
    """It was killed after it took the lock and before the new database had its name."""
    for name in ("writer.lock", "writer.pid", "documents.sqlite.new", "documents.sqlite.new-journal"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(IndexNotFound, match="no index at"):
        reopen(tmp_path)
    opened(tmp_path).close()
    reopen(tmp_path).close()


def test_an_empty_folder_becomes_an_index(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert reopen(tmp_path).generation == 0


def test_an_index_that_was_being_made_is_made_again(tmp_path: Path) -> None:
    for leftover in ("documents.sqlite.new", "documents.sqlite.new-journal", "writer.lock", "writer.pid"):
        (tmp_path / leftover).write_bytes(b"")
    assert opened(tmp_path).generation == 0


def test_an_index_is_not_made_twice(index: Path) -> None:
    assert_sound(opened(index))


def test_a_foreign_database(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / schema.FILE)
    connection.execute("CREATE TABLE song (title TEXT)")
    connection.close()
    with pytest.raises(FormatError, match="database of another program"):
        reopen(tmp_path)


def test_a_migration_brings_an_older_index_up_to_date_and_older_versions_refuse_it(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, later = schema.FORMAT, schema.FORMAT + 1
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (id TEXT PRIMARY KEY);"))
        newer.setattr(schema, "FORMAT", later)
        with pytest.raises(FormatError, match=rf"format {now}; .* reads format {later}: bring it up to date with"):
            reopen(index)
        store = opened(index)
        assert sorted(store.document_ids()) == ["a", "b", "rome"]
        assert store.stats().format == later
        fill(store, Document("new", "Granite again."))
        assert "new#0" in found(store.view(), "granite")
    with pytest.raises(FormatError, match=rf"has format {later}; this version reads format {now}: upgrade multihop"):
        reopen(index)


def test_a_migration_that_fails_leaves_the_index_as_it_was(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(
            schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (id TEXT); CREATE TABLE meta (x);")
        )
        newer.setattr(schema, "FORMAT", schema.FORMAT + 1)
        with pytest.raises(StoreError, match="rolled back: table meta already exists"):
            opened(index)
    assert sorted(reopen(index).document_ids()) == ["a", "b", "rome"]
    with closing(sqlite3.connect(index / schema.FILE)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'later'").fetchall() == []


@pytest.mark.parametrize("content", [b"", b"no database at all, but quite long enough to be read as one" * 40])
def test_no_database_in_its_place(index: Path, content: bytes) -> None:
    (index / schema.FILE).write_bytes(content)
    with pytest.raises(FormatError, match=r"damaged or not an index|another program"):
        reopen(index)


def test_a_truncated_file(index: Path) -> None:
    file = index / schema.FILE
    file.write_bytes(file.read_bytes()[: 3 * 8192])
    with pytest.raises(FormatError, match="damaged"):
        reopen(index)


def test_damage_deep_inside_is_named_where_it_is_met(tmp_path: Path) -> None:
    store = opened(tmp_path / "index")
    fill(store, *(Document(str(i), f"Text number {i}. " * 40) for i in range(200))).close()
    file = tmp_path / "index" / schema.FILE
    content = bytearray(file.read_bytes())
    for page in range(len(content) // 8192 // 2, len(content) // 8192):
        content[page * 8192 : page * 8192 + 100] = b"\xff" * 100
    file.write_bytes(content)
    store = reopen(tmp_path / "index")
    with pytest.raises(FormatError, match="damaged"):
        for id in list(store.document_ids()):
            store.document(id)
    [check] = store.verify(repair=False)
    assert (check.name, check.ok) == ("documents", False)


def test_a_closed_index_says_so(index: Path) -> None:
    store = reopen(index)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.view()


def test_a_closed_index_is_one_file_and_its_caches(index: Path) -> None:
    assert {f.name for f in index.iterdir()} == {schema.FILE, "lexical", "writer.lock"}
    assert_sound(reopen(shutil.copytree(index, index.with_name("copy"))))


# --- writers and readers ---


def worker(command: str, folder: Path) -> Started:
    """Start another process that works on an index."""
    line = [sys.executable, script.__file__, command, str(folder)]
    return Started(line, dict(os.environ), imports=["multihop.testing.contracts"], stdin=PIPE, stdout=PIPE)


def work(command: str, folder: Path) -> int:
    """Have a command done to its end and give its exit status."""
    with worker(command, folder) as process:
        return process.wait()


def test_a_second_writer_is_told_who_writes(index: Path) -> None:
    store = reopen(index)
    with worker("hold", index) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holding\n"
        with pytest.raises(IndexLocked, match=f"being written by process {other.pid}"):
            fill(store, Document("c", "x"))
        with pytest.raises(IndexLocked, match=f"being written by process {other.pid}"):
            store.delete(["a"])
        assert_sound(store)
        other.communicate("go\n")
    fill(store, Document("c", "x"))
    assert list(store.document_ids()) == ["a", "b", "c", "held", "rome"]


def test_a_second_writer_can_wait(index: Path) -> None:
    store = reopen(index, wait=60)
    with ThreadPoolExecutor(1) as pool, worker("hold", index) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holding\n"
        added = pool.submit(fill, store, Document("c", "x"))
        other.communicate("go\n")
        added.result()
    assert list(store.document_ids()) == ["a", "b", "c", "held", "rome"]


def test_readers_see_another_process_after_a_refresh(index: Path) -> None:
    store = reopen(index)
    view = store.view()
    assert work("add", index) == 0
    assert (found(view, "written"), view.passages(["later#0"]), store.document("later")) == ([], {}, None)
    assert store.refresh() == view.generation + 1
    assert links(store.view(), "later#0") == {("rome", "rome")}
    assert found(store.view(), "written") == ["later#0"]


def test_readers_never_see_half_a_change(index: Path) -> None:
    store = reopen(index)
    seen: set[int] = set()
    with worker("rounds", index) as other:
        # A pause between two looks, in which the other process gets on; without one they take each other's time.
        while not _ended(other, 0.002) or store.refresh() > max(seen):
            view = store.view()
            number = view.generation - 1
            seen.add(view.generation)
            if number:
                expected = [f"{d.id}#0" for d in round_of(number)]
                assert {p.text for p in view.passages(expected).values()} == {f"This is round{number}."}
                assert sorted(found(view, f"round{number}")) == expected
                assert found(view, f"round{number - 1} round{number + 1}") == []
                assert [m.documents for m in view.find_names([f"Title3 of{number}"])[0]] == [("3",)]
    assert max(seen) == ROUNDS + 1
    assert_all_ok(store)


def _ended(process: Started, within: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(within)
    return process.returncode is not None


def test_processes_that_write_in_turn_link_to_each_other(index: Path) -> None:
    store = reopen(index)
    assert work("add", index) == 0
    fill(store, Document("process", "x", "Another process"))
    assert links(store.view(), "later#0") == {("rome", "rome"), ("process", "another process")}


def test_two_processes_may_make_one_index(tmp_path: Path) -> None:
    with worker("add", tmp_path / "index") as one, worker("hold", tmp_path / "index") as two:
        two.communicate("go\n")
        assert (one.wait(), two.wait()) == (0, 0)
    assert list(reopen(tmp_path / "index").document_ids()) == ["held", "later"]


def assert_all_ok(store: EmbeddedStore) -> None:
    assert [check for check in store.verify(repair=False) if not check.ok] == []


# --- caches ---


@pytest.mark.parametrize("command", ["die_adding", "die_deleting"])
@pytest.mark.parametrize("watching", [False, True], ids=["reopened", "already open"])
def test_a_crash_between_truth_and_cache(index: Path, command: str, watching: bool) -> None:
    open_before = reopen(index) if watching else None
    assert work(command, index) == 9
    store = open_before or reopen(index)
    view = store.view()
    assert view.generation == 2
    if command == "die_adding":
        assert (found(view, "limestone"), found(view, "basalt")) == (["a#0"], ["new#0"])
        assert found(view, "granite") == ["b#0"]
        assert links(view, "a#0") == {("rome", "rome")}
    else:
        assert sorted(found(view, "granite marble city")) == ["b#0", "b#1"]
    assert_all_ok(store)


def _delete(folder: Path) -> None:
    shutil.rmtree(folder)


def _empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.write_bytes(b"")


def _halve(folder: Path) -> None:
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _halve_segments(folder: Path) -> None:
    for file in folder.iterdir():
        if file.suffix != ".json":
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _lose_segments(folder: Path) -> None:
    for file in folder.glob("[0-9a-f]*"):
        file.unlink()


def _garbage(folder: Path) -> None:
    (folder / "meta.json").write_text('{"segments": "none"}')


@pytest.mark.parametrize("damage", [_delete, _empty, _halve, _halve_segments, _lose_segments, _garbage])
def test_a_damaged_lexical_cache_is_built_again(index: Path, damage: object) -> None:
    assert callable(damage)
    damage(index / lexical.FOLDER)
    assert_sound(reopen(index))
    assert_sound(reopen(index))


def test_a_lexical_cache_lost_while_open(index: Path) -> None:
    store = reopen(index)
    # At once, and not file by file: a thread of the cache may still be writing.
    (index / lexical.FOLDER).rename(index.parent / "lost")
    assert found(store.view(), "granite") == ["a#0", "b#0"]
    assert [check.name for check in store.verify(repair=False) if not check.ok] == ["lexical cache"]
    fill(store, Document("c", "Basalt in Rome"))
    assert set(found(store.view(), "basalt granite rome")) == {"c#0", "a#0", "rome#0", "b#0"}
    assert_all_ok(store)


def test_a_cache_that_is_ahead_of_the_truth_is_built_again(index: Path, tmp_path: Path) -> None:
    """As when the documents come from a backup and the caches do not."""
    backup = shutil.copytree(index, tmp_path / "backup")
    fill(reopen(index), Document("c", "Granite of a later day")).close()
    shutil.copy(backup / schema.FILE, index / schema.FILE)
    assert_sound(reopen(index))


def _lose_rows(folder: Path, *rows: int) -> None:
    index = lexical.LexicalCache._register(tantivy.Index.open(str(folder / lexical.FOLDER)))
    writer = index.writer(heap_size=20_000_000, num_threads=1)
    writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "row", rows))
    extra = tantivy.Document()
    extra.add_unsigned("row", 99)
    extra.add_text("body", "nowher")
    writer.add_document(extra)
    writer.commit()
    writer.wait_merging_threads()


def test_verify_finds_and_repairs_a_cache_that_lies(index: Path) -> None:
    _lose_rows(index, 1, 3)
    store = reopen(index)
    assert found(store.view(), "granite") == ["b#0"]
    assert found(store.view(), "nowhere") == []
    [broken] = [check for check in store.verify(repair=False) if not check.ok]
    assert (broken.name, broken.detail) == ("lexical cache", "3 passages, 2 missing, 1 extra")
    [repaired] = [check for check in store.verify() if check.repaired]
    assert (repaired.name, repaired.ok) == ("lexical cache", True)
    assert_sound(store)
    assert_sound(reopen(index))


@pytest.mark.parametrize("suffix", ["term", "idx", "fast", "fieldnorm", "store"])
def test_verify_finds_and_repairs_rotten_bytes(index: Path, suffix: str) -> None:
    for file in (index / lexical.FOLDER).glob(f"*.{suffix}"):
        content = bytearray(file.read_bytes())
        content[: len(content) // 4] = bytes(255 - byte for byte in content[: len(content) // 4])
        file.write_bytes(content)
    store = reopen(index)
    try:
        found(store.view(), "granite marble")
    except StoreError as error:
        assert "search cache is damaged" in str(error)
    store.verify()
    assert_sound(store)
    assert_sound(reopen(index))


@pytest.fixture
def small_vector_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the vector cache be written for a handful of vectors instead of many thousands."""
    monkeypatch.setattr("multihop.index.stores.core.search.EXACT", 30)


@pytest.fixture
def with_vectors(tmp_path: Path, small_vector_cache: None) -> Path:
    store = opened(tmp_path / "index", HashEmbedder())
    fill(store, *(Document(f"{i:03}", f"word{i} of {i % 7}") for i in range(100)))
    fill(store, *(Document(f"{i:03}", f"word{i} of {i % 7}") for i in range(100, 120)))
    store.close()
    assert [f.name for f in (tmp_path / "index").glob("vectors*.usearch")] == ["vectors.100.usearch"]
    return tmp_path / "index"


def assert_vectors(store: EmbeddedStore) -> None:
    for i in (0, 50, 99, 110):
        assert near(store.view(), f"word{i} of {i % 7}", 1) == [f"{i:03}#0"]
    assert_all_ok(store)


def test_vectors_are_found_in_cache_and_tail(with_vectors: Path) -> None:
    assert_vectors(reopen(with_vectors, HashEmbedder()))


@pytest.mark.parametrize("content", [None, b"", b"x" * 3000, "half"])
def test_a_damaged_vector_cache_is_passed_over(with_vectors: Path, content: bytes | str | None) -> None:
    [file] = with_vectors.glob("vectors*.usearch")
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content if isinstance(content, bytes) else file.read_bytes()[: file.stat().st_size // 2])
    store = reopen(with_vectors, HashEmbedder())
    assert_vectors(store)
    fill(store, Document("new", "word of a new day"))
    assert near(store.view(), "word of a new day", 1) == ["new#0"]
    assert_vectors(store)


def test_deleted_vectors_are_passed_over_and_at_last_forgotten(with_vectors: Path) -> None:
    store = reopen(with_vectors, HashEmbedder())
    store.delete([f"{i:03}" for i in range(20)])
    assert len(near(store.view(), "word5 of 5", 100)) == 100
    assert "000#0" not in near(store.view(), "word0 of 0", 100)
    store.delete([f"{i:03}" for i in range(20, 120)])
    assert near(store.view(), "word5 of 5", 100) == []
    assert list(with_vectors.glob("vectors*")) == []
    assert_all_ok(store)


def test_verify_repairs_a_vector_cache_that_lies(with_vectors: Path) -> None:
    other = opened(with_vectors.with_name("other"), HashEmbedder())
    fill(other, *(Document(f"{i:03}", "another") for i in range(40))).close()
    [file] = with_vectors.glob("vectors*.usearch")
    shutil.copy(with_vectors.with_name("other") / "vectors.40.usearch", file)
    file.with_suffix(".sums").unlink()  # with checksums it would be noticed when the index is opened
    store = reopen(with_vectors, HashEmbedder())
    [broken] = [check for check in store.verify(repair=False) if not check.ok]
    assert (broken.name, re.findall(r"\d+ missing", broken.detail)) == ("vector cache", ["60 missing"])
    [repaired] = [check for check in store.verify() if check.repaired]
    assert (repaired.name, repaired.ok) == ("vector cache", True)
    assert_vectors(store)


# --- embedders ---


def test_the_embedder_is_recorded_and_must_match(tmp_path: Path) -> None:
    folder = make(tmp_path / "index", HashEmbedder())
    assert reopen(folder, HashEmbedder()).stats().embedder == "hash:32"
    with pytest.raises(EmbedderMismatch, match="holds vectors of 'hash:32', not of 'hash:16'"):
        reopen(folder, HashEmbedder(16))
    with pytest.raises(EmbedderMismatch, match="holds vectors of 'hash:32', not of 'hash:16'"):
        opened(folder, HashEmbedder(16))


def test_an_index_without_vectors_takes_no_embedder(index: Path) -> None:
    for create in (False, True):
        with pytest.raises(EmbedderMismatch, match=r"built without an embedder.*'hash:32'"):
            opened(index, HashEmbedder(), create=create)


def test_without_its_embedder_an_index_can_be_read_and_not_added_to(tmp_path: Path) -> None:
    store = reopen(make(tmp_path / "index", HashEmbedder()))
    assert_sound(store)
    with pytest.raises(EmbedderMismatch, match="holds vectors of 'hash:32'; open it with that embedder to add"):
        fill(store, Document("c", "x"))
    assert store.delete(["a"]).documents == 1
    assert store.stats().vectors == 3


@dataclass(frozen=True)
class Returning:
    """An embedder of eight numbers that returns something of its own."""

    make: Callable[[int], object]
    dimension: object = 8
    identity: str = "hash:8"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        return self.make(len(texts))


def out_of_memory(count: int) -> object:
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda n: np.zeros((n, 4)), "returned an array of shape (4, 4); expected (4, 8)"),
        (lambda n: np.zeros((n - 1, 8)), "returned an array of shape (3, 8); expected (4, 8)"),
        (lambda n: [[0.0] * 8] * n, "returned an object of type list; expected an array of shape (4, 8)"),
        (lambda n: None, "returned an object of type NoneType; expected an array of shape (4, 8)"),
        (lambda n: np.full((n, 8), "x"), "returned an array of <U1; expected float32"),
        (lambda n: np.full((n, 8), np.nan), "returned numbers that are not finite"),
        (lambda n: np.full((n, 8), -np.inf), "returned numbers that are not finite"),
        (lambda n: np.full((n, 8), 1e5), "returned numbers above 65504; expected rows of length one"),
        (out_of_memory, "failed: RuntimeError: out of memory"),
    ],
)
def test_nothing_is_stored_of_what_an_embedder_returns_wrongly(
    tmp_path: Path, make: Callable[[int], object], problem: str
) -> None:
    store = opened(tmp_path / "index", cast(Embedder, Returning(make)))
    with pytest.raises(EmbeddingError, match=re.escape(f"the embedder 'hash:8' {problem}")):
        fill(store, *DOCUMENTS)
    assert (store.stats().documents, store.stats().vectors) == (0, 0)
    again = fill(reopen(tmp_path / "index", HashEmbedder(8)), *DOCUMENTS)
    assert (again.stats().documents, again.stats().vectors) == (3, 4)


@pytest.mark.parametrize("dimension", [0, -1, 2.5, "8", None, True])
def test_a_dimension_that_is_no_positive_number_is_refused(tmp_path: Path, dimension: object) -> None:
    wrong = cast(Embedder, Returning(out_of_memory, dimension))
    with pytest.raises(InvalidInput, match=f"'hash:8' has the dimension {dimension!r}; it must be a whole number"):
        opened(tmp_path / "new", wrong)
    assert not (tmp_path / "new").exists()
    folder = make(tmp_path / "index", HashEmbedder(8))
    with pytest.raises(InvalidInput, match="it must be a whole number from 1 up"):
        reopen(folder, wrong)
    assert_sound(reopen(folder, HashEmbedder(8)))


# --- threads ---


def test_threads_ask_while_one_adds(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "index", create=True, embedder=HashEmbedder()) as engine:
        engine.add(DOCUMENTS)
        stop = False

        def ask(n: int) -> int:
            asked = 0
            while not stop or not asked:
                where = {"n": 1 + n % 2} if n % 3 else None
                result = engine.retrieve("Which granite is near Rome?", k=3, where=where)
                assert all(e.passage.text for e in result)
                assert where is None or {e.passage.document_id for e in result} <= {"a", "b", "c"}
                assert engine.document("a") is not None
                assert engine.stats().documents >= 3
                asked += 1
            return asked

        with ThreadPoolExecutor(8) as pool:
            asking = [pool.submit(ask, n) for n in range(8)]
            for i in range(5):
                engine.add(Document("c", f"Granite version{i} near Rome.", f"Gamma {i}", {"n": 1 + i % 2}))
                engine.add(Document(f"d{i}", f"Basalt {i}."))
                assert found(engine.store.view({"n": 1 + i % 2}), f"version{i}") == ["c#0"]
            stop = True
            assert all(future.result() for future in asking)
        assert all(check.ok for check in engine.check())


def test_snapshots_are_let_go(index: Path) -> None:
    store = reopen(index)
    views = [store.view() for _ in range(3)]
    fill(store, Document("c", "Granite"))
    assert [len(found(view, "granite")) for view in views] == [2, 2, 2]
    del views
    gc.collect()
    fill(store, Document("d", "Granite"))
    assert len(found(store.view(), "granite")) == 4
    store.close()
    assert not (index / (schema.FILE + "-wal")).exists()


def test_the_write_ahead_log_is_emptied_after_every_change(index: Path) -> None:
    store, log = reopen(index), index / (schema.FILE + "-wal")
    for number in range(20):
        fill(store, Document("a", f"Granite number {number}.", "Alpha"))
        assert log.stat().st_size == 0
        store.put_blob("blob", bytes(10_000))
        assert log.stat().st_size == 0
    assert found(store.view(), "number 19") == ["a#0"]


def test_a_view_in_use_delays_the_emptying_of_the_log_and_stays_as_it_is(index: Path) -> None:
    store, log = reopen(index), index / (schema.FILE + "-wal")
    fill(store, Document("a", "Granite before.", "Alpha"))
    view = store.view()
    fill(store, Document("a", "Granite after.", "Alpha"))
    assert log.stat().st_size > 0
    assert view.passages(["a#0"])["a#0"].text == "Granite before."
    assert store.view().passages(["a#0"])["a#0"].text == "Granite after."
    del view
    fill(store, Document("c", "Chalk.", "Gamma"))
    assert log.stat().st_size == 0
    assert [c for c in store.verify(repair=False) if not c.ok] == []


def test_names_of_many_passages(tmp_path: Path) -> None:
    """More ids and names than one SQL statement takes."""

    def documents() -> Iterator[Document]:
        for i in range(1200):
            yield Document(f"d{i}", f"See Name{(i + 1) % 1200}x.", f"Name{i}x")

    store = opened(tmp_path / "index")
    fill(store, *documents())
    view = store.view()
    assert len(view.links_from([f"d{i}#0" for i in range(1200)])) == 1200
    assert len(view.passages([f"d{i}#0" for i in range(1200)])) == 1200
    assert len(view.passages_of([f"d{i}" for i in range(1200)], 1)) == 1200
    assert len(view.find_names([" ".join(f"Name{i}x" for i in range(1200))])[0]) == 1200


def test_how_large_an_index_is_costs_no_look_at_every_passage(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = reopen(index)
    fill(store, Document("c", "Slate.", "Gamma"))
    store.delete(["b"])
    view = store.view()
    asked: list[str] = []
    rows = schema.Connection.rows

    def noted(connection: schema.Connection, sql: str, *values: Sequence[object]) -> list[object]:
        asked.append(sql)
        return rows(connection, sql, *values)

    monkeypatch.setattr(schema.Connection, "rows", noted)
    assert view.size == 3
    assert asked == []
    assert store.stats().passages == 3
    assert asked


def test_ids_are_read_in_parts_of_one_state(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multihop.index.stores.sqlite.store._IDS", _IDS.replace("LIMIT 5000", "LIMIT 2"))
    store = reopen(index)
    ids = store.document_ids()
    assert next(ids) == "a"
    store.delete(["rome"])
    assert list(ids) == ["b", "rome"]
    assert list(store.document_ids()) == ["a", "b"]
