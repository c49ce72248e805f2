from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from multihop import Document, Engine
from multihop.index.readers.split import divide

from .command import failure, run, run_json


def change(index: Path, statement: str) -> None:
    with closing(sqlite3.connect(index / "documents.sqlite")) as connection, connection:
        connection.execute(statement)


def test_a_sound_index(index: Path) -> None:
    done = run("verify", "--index", index)
    assert done.exit_code == 0
    verdicts = {line[:21].strip(): line[21:].split()[0] for line in done.stdout.splitlines()}
    assert verdicts["documents"] == verdicts["lexical cache"] == "ok"
    assert set(verdicts.values()) == {"ok"}
    said = run_json("verify", "--index", index)
    assert said["ok"]
    assert said["checks"][0] == {"name": "documents", "ok": True, "detail": "ok", "repaired": False}


def test_a_cache_that_differs_is_repaired_unless_told_not_to(index: Path) -> None:
    change(index, "INSERT INTO passage VALUES (99999, 'fram-ship#9', 2, 9, '', 'Words the cache does not know.', NULL)")
    done = run("verify", "--index", index, "--no-repair")
    assert done.exit_code == 1
    assert "wrong" in done.stdout
    assert done.stderr == ""
    repaired = run("verify", "--index", index)
    assert repaired.exit_code == 0
    assert "repaired" in repaired.stdout
    assert run("verify", "--index", index, "--no-repair").exit_code == 0


def test_what_cannot_be_repaired_fails(index: Path) -> None:
    change(index, "INSERT INTO mention VALUES (88888, 1)")
    done = run("verify", "--index", index, "--json")
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert not said["ok"]
    assert "mentions in passages" in {check["name"] for check in said["checks"] if not check["ok"]}


def test_vectors_are_checked_too(corpus: Path, tmp_path: Path) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh", "--embedder", "wordllama:64")
    details = {c["name"]: c["detail"] for c in run_json("verify", "--index", tmp_path / "x.mh")["checks"]}
    assert details["vector cache"].startswith("0 missing")


def test_no_index(tmp_path: Path) -> None:
    assert "there is no index" in failure("verify", "--index", tmp_path / "x.mh")


def test_empty_lists_of_readers_are_reported(index: Path) -> None:
    with Engine.open(index) as engine:
        # As a version stored it that did not refuse it.
        engine.store.edit([divide(Document("board", "The board meets.", "Board", {"allow": ()}))])
    done = run("verify", "--index", index)
    assert done.exit_code == 1
    said = " ".join(done.stdout.split())
    assert said.endswith("wrong 1 with an empty list 'allow'; add again with names, or without the list: board")
