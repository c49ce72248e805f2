from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.index.stores.sqlite import schema
from multihop.testing.contracts import found, links
from multihop.types import Document

from ..forking import PIPE, Started, run
from ..reliability.soak import SHARE, rounds
from . import short_of_disk, short_of_room, without_rights
from .process import answer, environment

pytestmark = pytest.mark.release  # disks are filled

DOCUMENTS = (
    Document("a", "Granite near Rome.", "Alpha"),
    Document("b", "Granite in Paris.", "Beta"),
    Document("rome", "A city of marble.", "Rome"),
)


def make(folder: Path) -> Path:
    with Engine.open(folder, create=True) as engine:
        engine.add(DOCUMENTS)
    return folder


def assert_sound(folder: Path, documents: int = 3) -> None:
    with Engine.open(folder) as engine:
        assert len(list(engine.store.document_ids())) == documents
        assert found(engine.store.view(), "granite") == ["a#0", "b#0"]
        assert links(engine.store.view(), "a#0") == {("rome", "rome")}
        assert [check for check in engine.check(repair=False) if not check.ok] == []


# --- a full disk ---


@pytest.mark.parametrize("size", [0, 1_000, 40_000, 200_000])
def test_a_full_disk_keeps_nothing_of_the_change(tmp_path: Path, size: int) -> None:
    folder = make(tmp_path / "index")
    first, *before, second, third, count, _, generation = answer(short_of_room.__file__, "add", folder, size)
    for said in (first, second):
        assert re.match("IndexReadOnly: the (index|search cache in) ", said)
        assert re.search("this change was rolled back|cannot be written", said)
    assert before == [3, ["a#0", "b#0"], 1]
    assert (third, count, generation) == ("added", 303, 2)
    assert_sound(folder, 303)


def test_a_full_disk_between_truth_and_cache(tmp_path: Path) -> None:
    folder = make(tmp_path / "index")
    said, *without, count, _, generation, new = answer(short_of_room.__file__, "cache", folder, 0)
    assert said.startswith("IndexBehind: the change is stored, but not the search cache")
    assert without == [3, ["a#0", "b#0"], 1]
    assert (count, generation, new) == (4, 2, ["new0#0"])
    assert_sound(folder, 4)


def test_a_full_disk_while_the_cache_is_built_again(tmp_path: Path) -> None:
    folder = make(tmp_path / "index")
    shutil.rmtree(folder / "lexical")
    [said] = answer(short_of_room.__file__, "reopen", folder, 10)
    assert said.startswith("IndexReadOnly: ")
    assert_sound(folder)


def test_a_full_disk_from_the_start(tmp_path: Path) -> None:
    [said] = answer(short_of_room.__file__, "create", tmp_path / "index", 1_000)
    assert said.startswith("IndexReadOnly: cannot create an index in ")
    assert_sound(make(tmp_path / "index"))


def test_creating_writes_nothing_larger_than_the_index(tmp_path: Path) -> None:
    """No log stands beside the file that a full disk could keep from being moved into it: that left half an index."""
    size = (make(tmp_path / "whole") / schema.FILE).stat().st_size
    assert answer(short_of_room.__file__, "create", tmp_path / "index", size + 8192) == ["created"]
    assert not list((tmp_path / "index").glob("*.new*"))
    assert_sound(make(tmp_path / "index"))


def _may_mount() -> bool:
    try:
        return not subprocess.run(
            ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
        ).returncode
    except OSError:
        return False


@pytest.mark.skipif(not _may_mount(), reason="this system lets nobody mount a disk in a namespace of his own")
@pytest.mark.parametrize(
    ("kind", "rooms"),
    [("inodes", range(2, 60, 1 if SHARE else 6)), ("size", range(8, 520, 512 // rounds(10, 128)))],
    ids=["files", "bytes"],
)
def test_a_disk_without_room(tmp_path: Path, kind: str, rooms: range) -> None:
    """What is said to be stored is there, whether room for another file or for another byte is missing."""
    done = subprocess.run(
        ["unshare", "-Urm", sys.executable, short_of_disk.__file__, str(tmp_path), kind, *map(str, rooms)],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    ended = json.loads(done.stdout)
    sys.stderr.write(f"{len(ended)} disks that were too small: {Counter(said for said, _, _ in ended)}\n")
    assert [each for each in ended if each[1] != max(0, each[2])] == []
    assert {said for said, _, _ in ended} >= {"IndexReadOnly", "done"}


# --- a read-only folder ---


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that other users may look into, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for each in (folder, *(f for f in folder.rglob("*") if f.is_dir())):
        each.chmod(0o755)
    shutil.rmtree(folder)


def forbid_writing(folder: Path) -> None:
    for file in (*folder.rglob("*"), folder):
        file.chmod(file.stat().st_mode & 0o555)


def leave_open(folder: Path) -> None:
    """Add documents in a process that ends while something still reads the state before: its log stays."""
    script = (
        "import os, sys; from multihop.engine import Engine; from multihop.types import Document;"
        "engine = Engine.open(sys.argv[1]); before = engine.store.view();"
        "engine.add(Document('d', 'Slate.')); os._exit(0)"
    )
    assert run([sys.executable, "-c", script, str(folder)], environment()).returncode == 0
    assert (folder / (schema.FILE + "-wal")).stat().st_size


@pytest.mark.parametrize("log", [False, True], ids=["closed", "left open"])
def test_a_read_only_index_can_be_read(readable: Path, log: bool) -> None:
    folder = make(readable / "index")
    if log:
        leave_open(folder)
    forbid_writing(folder)
    granite, linked, count, wrong, *changes = answer(without_rights.__file__, "read", folder)
    assert (granite, linked, wrong) == (["a#0", "b#0"], [["rome", "rome"]], 0)
    assert count == (4 if log else 3)
    for said in changes:
        assert said.startswith("IndexReadOnly: the index ")
        assert "cannot be written to" in said


def test_a_log_that_cannot_be_read_is_not_passed_over(readable: Path) -> None:
    folder = make(readable / "index")
    leave_open(folder)
    (folder / (schema.FILE + "-shm")).unlink()
    forbid_writing(folder)
    [said] = answer(without_rights.__file__, "read", folder)
    assert said.startswith("IndexReadOnly: the newest changes of ")
    assert "open the index once where it can be written" in said


def test_no_index_can_be_made_in_a_read_only_folder(readable: Path) -> None:
    forbid_writing(readable)
    [said] = answer(without_rights.__file__, "create", readable)
    assert said.startswith("IndexReadOnly: cannot create an index in ")


def test_who_may_only_read_follows_who_writes(readable: Path) -> None:
    folder = make(readable / "index")
    with (
        Engine.open(folder) as engine,
        Started(
            [sys.executable, without_rights.__file__, "follow", str(folder)], environment(), stdin=PIPE, stdout=PIPE
        ) as reader,
    ):
        assert reader.stdout is not None
        assert reader.stdout.readline() == "looking\n"
        engine.add(Document("c", "Granite again"))
        said, _ = reader.communicate("go\n")
    assert json.loads(said) == [["a#0", "b#0"], ["c#0", "a#0", "b#0"], 2]


@pytest.mark.parametrize("part", ["", "documents.sqlite", "lexical"])
def test_an_index_that_may_not_be_read_says_so(readable: Path, part: str) -> None:
    folder = make(readable / "index")
    place = folder / part
    mode = place.stat().st_mode
    place.chmod(0)
    try:
        [said] = answer(without_rights.__file__, "read", folder)
    finally:
        place.chmod(mode)
    assert re.match("StoreError: .* cannot be read: this user lacks the rights", said)
