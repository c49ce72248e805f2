"""An index kept in step with a folder: what is read, what is embedded, what is removed, and what a crash leaves."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, InvalidRecord
from multihop.index.syncing import given_sources
from multihop.testing.contracts.corpus import CountingEmbedder
from multihop.types import FileChange, Synced

from ..forking import run
from ..patience import ENOUGH, patience

LONG_AGO = time.time_ns() - 10**12
Sync = Callable[..., Synced]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    (place / "sub").mkdir(parents=True)
    write(place / "a.md", "# Vienna\n\nThe capital of Austria.")
    write(place / "sub" / "b.txt", "Graz is a city in Styria.")
    write(place / "t.csv", "id,title,text\n1,Linz,Lies on the Danube.\n2,Wels,Lies on the Traun.\n")
    return place


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture(params=["folder", "server"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Engine]:
    place = request.getfixturevalue("address") if request.param == "server" else tmp_path / "x.mh"
    with Engine.open(place, create=True, embedder=embedder) as engine:
        yield engine


def write(file: Path, text: str, age: int = 0) -> None:
    """Write a file as if long ago: its time then tells that it did not change since."""
    file.write_text(text)
    os.utime(file, ns=(LONG_AGO - age, LONG_AGO - age))


def changes(engine: Engine, folder: Path, **options: Any) -> list[tuple[str, ...]]:
    heard: list[FileChange] = []
    engine.sync(folder, on_change=heard.append, **options)
    return [tuple(filter(None, change)) for change in heard]


def ids(engine: Engine) -> list[str]:
    return [d.id for d in engine.documents()]


def test_a_new_folder_is_added_and_an_unchanged_one_costs_nothing(
    engine: Engine, folder: Path, embedder: CountingEmbedder
) -> None:
    done = engine.sync(folder)
    assert done == Synced(added=3, documents=4, passages=4, generation=1)
    assert engine.sync(folder) == Synced(unchanged=3, generation=1)
    assert (embedder.texts, ids(engine)) == (4, ["1", "2", "a.md", "sub/b.txt"])


def test_documents_say_which_file_they_are_from(engine: Engine, folder: Path) -> None:
    engine.sync(folder, metadata={"country": "Austria"})
    document = engine.document("2")
    assert document is not None
    modified = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(LONG_AGO // 10**9))
    assert document.metadata == {"country": "Austria", "file.path": "t.csv", "file.modified": modified}


def test_a_dry_run_says_what_the_sync_then_does(engine: Engine, folder: Path, embedder: CountingEmbedder) -> None:
    engine.sync(folder)
    (folder / "sub" / "b.txt").rename(folder / "c.txt")
    (folder / "a.md").unlink()
    write(folder / "t.csv", "id,title,text\n1,Linz,Lies on the Danube.\n3,Enns,Lies on the Enns.\n")
    write(folder / "new.md", "# Krems")
    expected = [("renamed", "c.txt", "sub/b.txt"), ("added", "new.md"), ("changed", "t.csv"), ("removed", "a.md")]
    assert changes(engine, folder, dry_run=True) == expected
    assert (ids(engine), engine.store.generation) == (["1", "2", "a.md", "sub/b.txt"], 1)
    assert changes(engine, folder) == expected
    assert ids(engine) == ["1", "3", "c.txt", "new.md"]
    # Neither the renamed file nor the row that stayed was embedded again.
    assert embedder.texts == 4 + 2
    assert engine.sync(folder).unchanged == 3


def test_a_renamed_file_is_found_by_its_new_name(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    (folder / "a.md").rename(folder / "sub" / "z.md")
    assert engine.sync(folder).renamed == 1
    assert (engine.document("a.md"), engine.index().passages.passages(["a.md#0"])) == (None, {})
    found = engine.retrieve("What is the capital of Austria?", k=1).evidence[0].passage
    assert (found.document_id, found.metadata["file.path"]) == ("sub/z.md", "sub/z.md")
    assert all(check.ok for check in engine.check(repair=False))


def test_a_file_that_was_only_touched_is_read_no_more(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    os.utime(folder / "a.md", ns=(LONG_AGO, LONG_AGO + 10**9))
    assert engine.sync(folder) == Synced(unchanged=3, generation=1)
    noted = engine.store.files_at("", ["a.md"])["a.md"]
    assert noted.modified == LONG_AGO + 10**9


def test_a_change_within_the_same_moment_is_noticed(engine: Engine, folder: Path) -> None:
    # So far ahead that no machine is too slow for the moment to be the same.
    now = time.time_ns() + ENOUGH * 10**9
    (folder / "a.md").write_text("# One\n\nOld words.")
    os.utime(folder / "a.md", ns=(now, now))
    engine.sync(folder)
    (folder / "a.md").write_text("# One\n\nNew words.")
    os.utime(folder / "a.md", ns=(now, now))
    assert engine.sync(folder).changed == 1


def test_other_options_read_everything_again_and_stay(engine: Engine, folder: Path, embedder: CountingEmbedder) -> None:
    engine.sync(folder)
    assert engine.sync(folder, metadata={"country": "Austria"}).changed == 3
    assert engine.values("country") == [("Austria", 4)]
    write(folder / "new.md", "# Krems")
    engine.sync(folder)
    assert (engine.values("country"), embedder.texts) == ([("Austria", 5)], 5)


def test_options_with_which_a_file_cannot_be_read_delete_nothing(engine: Engine, folder: Path) -> None:
    table = folder / "t.csv"
    engine.sync(table, metadata={"country": "Austria"})
    before = ids(engine), given_sources(engine.store)
    with pytest.raises(InvalidInput, match=r"nothing in .*t\.csv can be read .* keeps 2 documents"):
        engine.sync(table, text_field="txet")
    assert (ids(engine), given_sources(engine.store)) == before
    assert engine.sync(table).unchanged == 1
    write(table, "id,body text\n1,Linz on the Danube.\n")
    assert engine.sync(table, text_field="body text").deleted == 1
    # What the file itself no longer says is gone, as ever.
    write(table, "nothing")
    assert engine.sync(table).deleted == 1


def test_part_of_a_folder(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    (folder / "a.md").unlink()
    (folder / "sub" / "b.txt").unlink()
    assert engine.sync(folder / "sub") == Synced(removed=1, deleted=1, generation=2)
    write(folder / "t.csv", "id,text\n1,One row.\n")
    assert engine.sync(folder / "t.csv").changed == 1
    assert ids(engine) == ["1", "a.md"]


def test_two_folders_do_not_remove_each_others_files(engine: Engine, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other / "a.md", "# Rome")
    engine.sync(folder)
    engine.sync(other)
    assert (engine.sync(folder).unchanged, engine.sync(other).unchanged) == (3, 1)
    assert ids(engine) == ["1", "2", "a.md", "other/a.md", "sub/b.txt"]


def test_an_id_of_another_file_is_refused_until_that_gives_it_up(engine: Engine, folder: Path) -> None:
    problems: list[InvalidRecord] = []
    engine.sync(folder)
    write(folder / "u.csv", "id,text\n2,Mine.\n9,Nine.\n")
    assert engine.sync(folder, on_problem=problems.append).problems == 1
    assert "the id '2' is that of a document of the file 't.csv'" in str(problems[0])
    write(folder / "t.csv", "id,text\n1,One row.\n")
    assert engine.sync(folder).problems == 0
    document = engine.document("2")
    assert document is not None and document.text == "Mine."


def test_a_record_that_moves_to_a_new_file_is_not_lost_with_the_old(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    (folder / "t.csv").unlink()
    write(folder / "u.csv", "id,text\n2,Moved and changed.\n")
    engine.sync(folder)
    assert ids(engine) == ["2", "a.md", "sub/b.txt"]


def test_records_without_ids_keep_those_they_have(engine: Engine, folder: Path) -> None:
    for name in "xy":
        write(folder / f"{name}.jsonl", f'{{"title": "Same", "text": "From {name}."}}\n')
    engine.sync(folder)
    before = ids(engine)
    write(folder / "y.jsonl", '{"title": "Same", "text": "From y, changed."}\n')
    engine.sync(folder)
    assert (before, ids(engine)) == (["1", "2", "Same", "Same~2", "a.md", "sub/b.txt"], before)
    first, second = engine.document("Same"), engine.document("Same~2")
    assert first is not None and second is not None
    assert (first.text, second.text) == ("From x.", "From y, changed.")


def test_what_cannot_be_read_is_told_each_time_but_read_once(engine: Engine, folder: Path) -> None:
    write(folder / "bad.jsonl", '{"text": "Fine."}\nnonsense\n')
    write(folder / "picture.png", "")
    for _ in range(2):
        problems: list[InvalidRecord] = []
        assert engine.sync(folder, on_problem=problems.append).problems == 2
        assert [Path(p.source).name for p in sorted(problems, key=str)] == ["bad.jsonl", "picture.png"]
    assert engine.store.generation == 1


def test_a_crash_in_the_middle_loses_nothing(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    write(folder / "a.md", "# Vienna\n\nThe capital of Austria, on the Danube.")
    (folder / "sub" / "b.txt").unlink()
    write(folder / "z.md", "# Last")

    def stop(change: FileChange) -> None:
        if change.path == "z.md":
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        engine.sync(folder, on_change=stop)
    assert ids(engine) == ["1", "2", "a.md", "sub/b.txt"]
    assert changes(engine, folder) == [("changed", "a.md"), ("added", "z.md"), ("removed", "sub/b.txt")]
    assert ids(engine) == ["1", "2", "a.md", "z.md"]


def test_documents_of_a_file_that_was_half_done_are_removed_with_it(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A transaction for every document, so that some are committed before the crash.
    monkeypatch.setattr("multihop.index.stores.core.adding.STEP", 1)
    rows = [f"n{n},Row {n}.\n" for n in range(20)]
    write(folder / "big.csv", "id,text\n" + "".join(rows))

    def stop(change: FileChange) -> None:
        if change.path == "big.csv":
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        engine.sync(folder, on_change=stop)
    assert "n1" in ids(engine)
    (folder / "big.csv").unlink()
    engine.sync(folder)
    assert ids(engine) == ["1", "2", "a.md", "sub/b.txt"]


def test_of_a_file_that_was_half_done_only_the_rest_is_written(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop.index.stores.core.adding.MOST", 1)
    big = tmp_path / "big.csv"
    write(big, "id,text\n" + "".join(f"n{n},Row {n}.\n" for n in range(20)))

    def halt(stage: str, done: int, total: int | None) -> None:
        if stage == "linking" and len(ids(engine)) == 8:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        engine.sync(big, progress=halt)
    assert len(ids(engine)) == 8
    done = engine.sync(big)
    assert (done.documents, done.replaced, len(ids(engine))) == (12, 0, 20)
    assert engine.sync(big).unchanged == 1


KILLED = """
import os, sys
from multihop import Engine
from multihop.index.stores.core import adding
adding.STEP = 5
adding.GROWTH = 1
with Engine.open(sys.argv[1], create=True) as engine:
    def die(stage, done, total):
        if stage == sys.argv[3] and engine.stats().passages >= 10:
            os._exit(9)  # nothing is cleaned up, as by kill -9
    engine.sync(sys.argv[2], progress=die)
"""


@pytest.mark.parametrize("stage", ["reading", "linking earlier passages", "linking"])
def test_a_load_that_was_killed_goes_on_after_its_last_commit_and_ends_as_if_it_had_not_been(
    stage: str, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for file in range(4):
        rows = [{"title": f"Stone {n}", "text": f"After Stone {n - 3} came Stone {(n + 7) % 28}."} for n in range(28)]
        write(folder / f"{file}.jsonl", "\n".join(map(json.dumps, rows[7 * file : 7 * file + 7])))
    killed, whole = tmp_path / "killed.mh", tmp_path / "whole.mh"
    command = [sys.executable, "-c", KILLED, str(killed), str(folder), stage]
    with patience():
        assert run(command, dict(os.environ)).returncode == 9
    with Engine.open(whole, create=True) as engine:
        engine.sync(folder)
    with Engine.open(killed, create=True) as engine:
        assert engine.stats().passages == 10
        done = engine.sync(folder)
        assert (done.documents, done.replaced, done.unchanged) == (18, 0, 1)
    contents = [stored(path) for path in (killed, whole)]
    assert len(contents[0]["mention"]) > 28
    assert contents[0] == contents[1]


def stored(index: Path) -> dict[str, list[Any]]:
    """Read everything that an index says of its passages and names, whatever order it was written in."""
    tables = {
        "passage": "SELECT p.id, d.title, p.text FROM passage p JOIN document d ON d.row = p.document",
        "name": "SELECT key, spread, d.id FROM surface s JOIN name n ON n.surface = s.row JOIN document d "
        "ON d.row = n.document",
        "mention": "SELECT p.id, s.key FROM mention m JOIN passage p ON p.row = m.passage JOIN surface s "
        "ON s.row = m.surface",
        "file": "SELECT path, size, digest FROM file",
    }
    with closing(sqlite3.connect(index / "documents.sqlite")) as connection:
        return {name: sorted(connection.execute(sql)) for name, sql in tables.items()}


def test_a_file_that_was_half_done_another_way_is_written_as_a_whole(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop.index.stores.core.adding.MOST", 1)
    text = " ".join(["Granite is a rock."] * 200)
    big = tmp_path / "big.csv"
    write(big, "id,text\n" + "".join(f"n{n},{text}\n" for n in range(4)))
    divided = engine.sync(big).passages
    assert divided > 4

    def halt(stage: str, done: int, total: int | None) -> None:
        if engine.stats().passages < divided:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        engine.sync(big, whole=True, progress=halt)
    assert 4 < engine.stats().passages < divided
    assert (engine.sync(big, whole=False).replaced, engine.stats().passages) == (4, divided)


def test_a_document_that_was_deleted_by_hand_comes_back_while_its_file_is_there(
    engine: Engine, folder: Path, tmp_path: Path, embedder: CountingEmbedder
) -> None:
    other = tmp_path / "more"
    other.mkdir()
    write(other / "a.md", "# Bregenz\n\nLies on a lake.")
    for place in (folder, other):
        engine.sync(place)
    engine.delete(id for id in ("2", "a.md", "more/a.md", "unknown"))
    assert engine.stats().documents == 2
    embedder.texts = 0
    assert [engine.sync(place).documents for place in (folder, other)] == [2, 1]
    assert {d.id for d in engine.documents()} == {"1", "2", "a.md", "more/a.md", "sub/b.txt"}
    # Of a file with several documents, only the missing one is written again.
    assert embedder.texts == 3
    assert engine.sync(folder).unchanged == 3
    engine.delete("a.md")
    (folder / "a.md").unlink()
    engine.sync(folder)
    assert engine.document("a.md") is None


@pytest.mark.parametrize("engine", ["folder"], indirect=True)
def test_an_index_inside_the_folder_is_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is inside"):
        engine.sync(tmp_path)


def test_a_folder_that_is_not_there(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file or folder"):
        engine.sync(tmp_path / "nowhere")


def stored_metadata(engine: Engine, id: str) -> dict[str, Any]:
    document = engine.document(id)
    assert document is not None
    return {field: value for field, value in document.metadata.items() if not field.startswith("file.")}


def test_a_source_that_is_gone_is_deleted_with_its_options(engine: Engine, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other / "a.md", "# Rome")
    engine.sync(folder)
    engine.sync(other, metadata={"country": "Italy"})
    other.rename(tmp_path / "moved")
    assert engine.delete(source=other).documents == 1
    assert ids(engine) == ["1", "2", "a.md", "sub/b.txt"]
    assert engine.sync(folder).unchanged == 3
    (tmp_path / "moved").rename(other)
    engine.sync(other)
    assert stored_metadata(engine, "other/a.md") == {}
    assert all(check.ok for check in engine.check(repair=False))


def test_part_of_a_source_is_deleted_and_comes_back(engine: Engine, folder: Path) -> None:
    engine.sync(folder, metadata={"country": "Austria"})
    assert engine.delete(source=str(folder / "sub")).documents == 1
    assert engine.delete(source=folder / "t.csv").documents == 2
    assert ids(engine) == ["a.md"]
    assert (engine.sync(folder).added, engine.values("country")) == (2, [("Austria", 4)])


def test_a_folder_of_several_sources_is_deleted_with_them(engine: Engine, folder: Path) -> None:
    # Each has ids of its own, as it was given before the folder around it.
    engine.sync(folder / "sub")
    engine.sync(folder / "a.md")
    engine.sync(folder)
    assert ids(engine) == ["1", "2", "a.md", "b.txt"]
    assert engine.delete(source=folder / "sub").documents == 1
    assert ids(engine) == ["1", "2", "a.md"]
    assert engine.delete(source=folder.parent).documents == 3
    with pytest.raises(InvalidInput, match=r"the index has no documents from '.*docs'; it has no sources"):
        engine.delete(source=folder)


def test_a_source_without_documents_can_be_forgotten(engine: Engine, folder: Path, tmp_path: Path) -> None:
    engine.sync(folder)
    (tmp_path / "empty").mkdir()
    engine.sync(tmp_path / "empty", metadata={"country": "Italy"})
    with pytest.raises(InvalidInput, match=r"has no documents from '.*/empti'; did you mean '.*/empty'\?"):
        engine.delete(source=tmp_path / "empti")
    assert engine.delete(source=tmp_path / "empty").documents == 0
    write(tmp_path / "empty" / "a.txt", "Rome is a city.")
    engine.sync(tmp_path / "empty")
    assert engine.values("country") == []


def test_deleting_takes_one_of_ids_filter_and_source(engine: Engine, folder: Path) -> None:
    engine.sync(folder)
    for given in ({}, {"ids": "a.md", "source": folder}, {"where": {"file.path": "a.md"}, "source": folder}):
        with pytest.raises(InvalidInput, match="give one of them"):
            engine.delete(**given)  # type: ignore[arg-type]  # of each argument its own type
    assert len(ids(engine)) == 4


def test_options_can_be_reset(engine: Engine, folder: Path) -> None:
    engine.sync(folder, metadata={"country": "Austria"}, whole=True)
    assert engine.sync(folder, reset_options=True, metadata_from_path="{part}").changed == 3
    assert (engine.values("country"), engine.values("part")) == ([], [("t", 2), ("a", 1), ("sub", 1)])
    assert engine.sync(folder).unchanged == 3
    assert engine.sync(folder, reset_options=True).changed == 3
    assert stored_metadata(engine, "a.md") == {}


def test_a_folder_within_a_source_has_its_options_and_those_of_its_own(engine: Engine, folder: Path) -> None:
    engine.sync(folder, metadata={"allow": ("pia",), "country": "Austria"}, metadata_from_path="{part}")
    assert engine.sync(folder / "sub").unchanged == 1
    assert engine.sync(folder / "sub", metadata={"country": "Styria"}, metadata_from_path="{file}").changed == 1
    inner = {"allow": ("pia",), "country": "Styria", "part": "sub", "file": "b"}
    assert stored_metadata(engine, "sub/b.txt") == inner
    # The folder around it reads it the same way, and what changes there changes here.
    assert engine.sync(folder).unchanged == 3
    assert engine.sync(folder, metadata={"allow": ("jon",), "country": "Austria"}).changed == 3
    assert stored_metadata(engine, "sub/b.txt") == inner | {"allow": ("jon",)}
    assert stored_metadata(engine, "a.md") == {"allow": ("jon",), "country": "Austria", "part": "a"}
    assert engine.sync(folder / "sub").unchanged == 1
    engine.sync(folder / "sub", reset_options=True)
    assert stored_metadata(engine, "sub/b.txt") == {"allow": ("jon",), "country": "Austria", "part": "sub"}


def test_an_option_of_a_folder_may_be_the_usual_one_again_within_it(engine: Engine, folder: Path) -> None:
    write(folder / "sub" / "b.txt", "Graz is a city in Styria. " * 100)
    engine.sync(folder, whole=True)
    assert engine.stats().passages == 4
    assert engine.sync(folder / "sub", whole=False).changed == 1
    divided = engine.stats().passages
    assert divided > 4
    assert (engine.sync(folder).unchanged, engine.stats().passages) == (3, divided)
    # Whether old versions are kept does not change how files are read.
    assert engine.sync(folder / "sub", keep_versions=True).unchanged == 1


def test_a_folder_that_was_given_before_the_one_around_it(engine: Engine, folder: Path) -> None:
    engine.sync(folder / "sub", metadata={"kind": "city"})
    engine.sync(folder, metadata={"country": "Austria"})
    assert ids(engine) == ["1", "2", "b.txt", "docs/a.md"]
    assert stored_metadata(engine, "b.txt") == {"country": "Austria", "kind": "city"}
    generation = engine.store.generation
    assert engine.sync(folder) == Synced(unchanged=3, generation=generation)
    assert engine.sync(folder / "sub") == Synced(unchanged=1, generation=generation)
    (folder / "sub" / "b.txt").unlink()
    assert engine.sync(folder).removed == 1
    assert ids(engine) == ["1", "2", "docs/a.md"]


def test_a_table_of_metadata_also_describes_files_of_an_inner_source(engine: Engine, folder: Path) -> None:
    write(folder / "metadata.csv", "file,river\nsub/b.txt,Mur\n")
    engine.sync(folder)
    engine.sync(folder / "sub", metadata={"country": "Austria"})
    assert stored_metadata(engine, "sub/b.txt") == {"country": "Austria", "river": "Mur"}
    assert engine.sync(folder).unchanged == 3
