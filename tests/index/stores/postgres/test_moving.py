"""Moving an index: a copy that is killed goes on, and roles, backup and restore do as the documentation says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import multihop
from multihop import Document, Engine
from multihop.errors import IndexReadOnly
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder

from ....cli.command import run, run_json
from ....forking import PIPE, Started
from .server import Server

PAGE = (Path(__file__).parents[4] / "docs" / "scaling.md").read_text(encoding="utf-8")
QUESTION = "Who drew the lines of the ship that reached the South Pole?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "source.mh"
    with Engine.open(path, create=True, embedder=HashEmbedder()) as engine:
        engine.add(sample_documents())
        engine.relate()
    return path


@pytest.mark.parametrize("back", [False, True], ids=["to the server", "from the server"])
def test_a_copy_that_is_killed_goes_on(folder: Path, address: str, tmp_path: Path, back: bool) -> None:
    source, target = str(folder), address
    if back:
        assert run("copy", folder, address).exit_code == 0
        source, target = address, str(tmp_path / "back.mh")
    copier = [sys.executable, str(Path(__file__).parent / "copier.py"), source, target]
    with Started(copier, dict(os.environ), imports=["multihop.index.copying"], stdout=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "standing still\n"
        process.kill()
    with Engine.open(target, vectors=False) as half:
        assert half.stats().documents == 60
        assert all(check.ok for check in half.check())
    done = run_json("copy", source, target, "--wait", "30")
    assert (done["copied"], done["unchanged"]) == (len(list(sample_documents())) - 60, 60)
    assert run_json("copy", source, target)["contents"] == done["contents"]
    assert run_json("verify", "--store", target)["ok"]
    with Engine.open(source, vectors=False) as first, Engine.open(target, vectors=False) as second:
        asked = [engine.retrieve(QUESTION, k=7, strategy="graph") for engine in (first, second)]
        assert [e.passage for e in asked[0]] == [e.passage for e in asked[1]]


# --- as the documentation says ---


def _section(title: str, language: str) -> list[str]:
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def database(postgres: Server) -> Iterator[Server]:
    """A server with nothing of what the documentation makes; what it made is gone afterwards."""
    yield postgres
    for name in ("search", "elsewhere"):
        postgres.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    for role in ("owner", "indexer", "reader"):
        postgres.run(f"DROP ROLE IF EXISTS {role}")


def _as_documented(server: Server) -> None:
    """Run the statements and the line of Python of the section on roles, in their order."""
    first, extension, second = _section("Roles", "sql")
    [line] = _section("Roles", "python")
    address = _here(line.split('"')[1], server)
    for statement in filter(str.strip, first.split(";")):
        server.run(statement)
    server.run(extension, "search")
    exec(line.replace(line.split('"')[1], address), {"multihop": multihop})
    with Engine.open(address) as owner, owner.store._connections.use() as connection:  # type: ignore[attr-defined]
        for statement in filter(str.strip, second.split(";")):
            connection.execute(statement)


def _here(part: str, server: Server) -> str:
    """Put the server of the tests in the place of the one in an example."""
    return part.replace("@db.example/search?", f"@/search?host={server.folder}&")


def test_roles_as_documented(database: Server) -> None:
    _as_documented(database)
    address = _here("postgresql://{}@db.example/search?index=wiki", database)
    with Engine.open(address.format("indexer")) as indexer:
        indexer.add(sample_documents())
        indexer.delete("fram-ship")
        indexer.relate()
        lent = indexer.store._connections.use()  # type: ignore[attr-defined]  # to try what no method does
        with pytest.raises(IndexReadOnly, match=r"must be owner of table passage"), lent as connection:
            connection.execute("DROP TABLE passage")
        lent = indexer.store._connections.use()  # type: ignore[attr-defined]
        with pytest.raises(IndexReadOnly, match=r"permission denied for schema"), lent as connection:
            connection.execute("CREATE TABLE multihop_wiki.mine (x int)")
    with Engine.open(address.format("reader")) as reader:
        assert reader.retrieve(QUESTION, k=3).evidence
        assert all(check.ok for check in reader.check())
        with pytest.raises(IndexReadOnly, match="permission denied"):
            reader.add(Document("a", "A text"))
        with pytest.raises(IndexReadOnly, match="permission denied"):
            reader.delete("roald-amundsen")
        with pytest.raises(IndexReadOnly, match="permission denied"):
            reader.relate(rebuild=True)


def test_backup_and_restore_as_documented(database: Server, tmp_path: Path) -> None:
    _as_documented(database)
    address = _here("postgresql://owner@db.example/search?index=wiki", database)
    with Engine.open(address, create=True, embedder=HashEmbedder()) as engine:
        engine.add(sample_documents())
        expected = engine.retrieve(QUESTION, k=7)
    database.run("CREATE DATABASE elsewhere OWNER owner")
    database.run("CREATE EXTENSION vector", "elsewhere")
    [commands] = _section("Backup, restore, upgrade", "console")
    for line in commands.strip().splitlines():
        program, *given = shlex.split(line.removeprefix("$ "))
        local = [
            part.replace("@db.example/search", f"@/search?host={database.folder}")
            .replace("@other.example/search", f"@/elsewhere?host={database.folder}")
            .replace("wiki.dump", str(tmp_path / "wiki.dump"))
            for part in given
        ]
        subprocess.run([str(database.programs / program), *local], check=True, capture_output=True)
    with Engine.open(address.replace("/search", "/elsewhere"), embedder=HashEmbedder()) as restored:
        assert all(check.ok for check in restored.check())
        assert [e.passage for e in restored.retrieve(QUESTION, k=7)] == [e.passage for e in expected]
