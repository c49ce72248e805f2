"""`multihop sync`: what it prints, what it refuses, and that it goes on while it watches."""

from __future__ import annotations

import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from multihop.index.stores.postgres import lock
from multihop.index.stores.postgres.address import parse_address
from multihop.index.stores.sqlite.lock import writing

from ..patience import ENOUGH
from .command import command, environment, failure, run, run_json


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "a.md").write_text("# Vienna\n\nThe capital of Austria.")
    (place / "b.txt").write_text("Graz is a city in Styria.")
    return place


def test_sync_and_dry_run(folder: Path, tmp_path: Path) -> None:
    index = tmp_path / "x.mh"
    assert run("sync", folder, "--to", index).stdout == f"{folder}: 2 files added (2 documents written)\n"
    assert run("sync", folder, "--to", index).stdout == f"{folder}: 2 files unchanged\n"
    (folder / "b.txt").rename(folder / "c.txt")
    (folder / "a.md").unlink()
    assert run("sync", folder, "--to", index, "--dry-run").stdout.splitlines() == [
        "renamed: b.txt -> c.txt",
        "removed: a.md",
        f"{folder}: 1 file would be renamed, 1 removed",
    ]
    said = run_json("sync", folder, "--index", index)
    assert [(f["kind"], f["path"]) for f in said["sources"][0]["files"]] == [("renamed", "c.txt"), ("removed", "a.md")]
    assert run_json("stats", "--index", index)["documents"] == 1


def test_index_of_a_known_folder_removes_what_is_gone(folder: Path, tmp_path: Path) -> None:
    run("index", folder, "--to", tmp_path / "x.mh")
    (folder / "b.txt").unlink()
    done = run("index", folder, "--to", tmp_path / "x.mh")
    assert (done.exit_code, done.stdout) == (
        0,
        f"0 documents (0 passages) added to {tmp_path / 'x.mh'}, 1 deleted, 1 file unchanged\n",
    )


def test_delete_says_that_a_document_comes_back_with_its_file(folder: Path, tmp_path: Path) -> None:
    run("sync", folder, "--to", tmp_path / "x.mh")
    done = run("delete", "a.md", "--index", tmp_path / "x.mh")
    assert done.stdout == "1 document deleted\n"
    assert "1 document came from files; the next sync adds them again unless the files are gone" in done.stderr
    assert "1 file changed" in run("sync", folder, "--to", tmp_path / "x.mh").stdout


def test_a_source_that_is_gone_is_named_with_a_command_that_deletes_it(folder: Path, tmp_path: Path) -> None:
    index, gone = tmp_path / "x.mh", tmp_path / "Ann's files"
    gone.mkdir()
    (gone / "c.md").write_text("# Linz")
    run("index", folder, gone, "--to", index)
    gone.rename(tmp_path / "moved")
    said = run("sync", folder, "--to", index).stderr
    assert said.startswith(
        f"{gone} is gone, but the index still has 1 document from it; to delete: multihop delete --source "
    )
    # The same in the other commands and forms.
    assert run("index", folder, "--to", index).stderr == said
    notes = [run_json(command, folder, "--to", index)["notes"] for command in ("sync", "index")]
    assert notes == [[said.rstrip("\n")]] * 2
    program, *words = shlex.split(said.partition("; to delete: ")[2])
    assert program == "multihop"
    assert run(*words).stdout == "1 document deleted\n"
    assert run("sync", folder, "--to", index).stderr == ""


def test_of_many_sources_that_are_gone_some_are_named(folder: Path, tmp_path: Path) -> None:
    index, files = tmp_path / "x.mh", [tmp_path / f"{number}.txt" for number in range(7)]
    for file in files:
        file.write_text("Words.")
    run("index", folder, *files, "--to", index)
    for file in files:
        file.unlink()
    lines = run("sync", folder, "--to", index).stderr.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "2 more sources of the index are gone; multihop stats lists all"
    run("delete", "--source", files[0], "--index", index)
    lines = run("sync", folder, "--to", index).stderr.splitlines()
    assert lines[-1] == "1 more source of the index is gone; multihop stats lists all"


def test_skipped_files_are_counted_for_each_folder(folder: Path, tmp_path: Path) -> None:
    index, other = tmp_path / "x.mh", tmp_path / "other"
    other.mkdir()
    (other / "c.md").write_text("# Linz")
    for name in ("a.png", "b.png", "Makefile"):
        (folder / name).write_text("")
    (folder / "bad.jsonl").write_text("{")
    done = run("sync", folder, other, "--to", index)
    assert done.stdout.splitlines() == [
        f"{folder}: 3 files added, 3 files and 1 record skipped (2 documents written)",
        f"{other}: 1 file added (1 document written)",
    ]
    assert "skipped 3 files without a known format: 2 .png, 1 without a suffix" in done.stderr.splitlines()
    said = run_json("sync", folder, other, "--to", index)
    assert said["skipped_types"] == {".png": 2, "": 1}
    assert (len(said["problems"]), [part["problems"] for part in said["sources"]]) == (4, [4, 0])
    assert run("sync", folder, "--to", index, "--dry-run").stdout.splitlines() == [
        f"{folder}: 3 files unchanged, 3 files and 1 record skipped"
    ]


def test_what_sync_refuses(folder: Path, tmp_path: Path) -> None:
    assert "no index at" in failure("sync", folder, "--to", tmp_path / "x.mh", "--dry-run")
    assert "cannot be combined" in failure("sync", folder, "--to", "x.mh", "--watch", "--dry-run", status=2)
    assert "cannot be combined" in failure("sync", folder, "--to", "x.mh", "--watch", "--json", status=2)


@contextmanager
def watching(folder: Path, index: Path | str) -> Iterator[subprocess.Popen[str]]:
    # Tests that a shell runs in the background ignore Ctrl-C, and so would every process that they start.
    arguments = command("sync", folder, "--to", index, "--watch", "--every", "0.1")
    with subprocess.Popen(
        arguments, env=environment(PYTHONUNBUFFERED="1"), encoding="utf-8", stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def add(folder: Path, name: str) -> None:
    # In one step: a look at the file while it is being written would find it empty, and say so.
    (folder.parent / name).write_text("# Linz")
    (folder.parent / name).rename(folder / name)


def test_watching_takes_in_what_comes_and_ends_with_one_line(folder: Path, tmp_path: Path) -> None:
    with watching(folder, tmp_path / "x.mh") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "added: a.md\n"
        assert process.stdout.readline() == "added: b.txt\n"
        add(folder, "c.md")
        assert process.stdout.readline() == "added: c.md\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=ENOUGH)
    assert (said.strip(), process.returncode) == ("error: interrupted", 130)


def test_watching_names_what_is_skipped_or_gone_once(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "gone.txt").write_text("Words.")
    run("index", folder, tmp_path / "gone.txt", "--to", tmp_path / "x.mh")
    (tmp_path / "gone.txt").unlink()
    (folder / "a.png").write_text("")
    with watching(folder, tmp_path / "x.mh") as process:
        assert process.stdout is not None
        for name in ("c.md", "d.md"):
            add(folder, name)
            assert process.stdout.readline() == f"added: {name}\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=ENOUGH)
    gone, skipped, ended = filter(None, said.split("\n"))
    assert gone.startswith(f"{tmp_path / 'gone.txt'} is gone")
    assert (skipped, ended) == ("skipped 1 file without a known format: 1 .png", "error: interrupted")


@contextmanager
def writing_on_a_server(address: str) -> Iterator[None]:
    parsed = parse_address(address)
    with psycopg.connect(parsed.connection, autocommit=True) as beside, lock.writing(beside, parsed, 5.0):
        yield


@pytest.mark.parametrize("kind", ["folder", "server"])
def test_watching_waits_for_another_writer_and_goes_on(
    kind: str, folder: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = tmp_path / "x.mh" if kind == "folder" else request.getfixturevalue("address")
    run("sync", folder, "--to", place)
    with watching(folder, place) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with writing(place, 5.0) if isinstance(place, Path) else writing_on_a_server(place):
            add(folder, "c.md")
            assert process.stderr.readline().startswith("waiting for another writer: the index")
            add(folder, "d.md")
        assert process.stdout.readline() == "added: c.md\n"
        assert process.stdout.readline() == "added: d.md\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=ENOUGH)
    assert (said.split("\n")[-2], process.returncode) == ("error: interrupted", 130)
