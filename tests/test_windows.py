"""What differs on Windows, as far as it can be tried elsewhere: encodings, paths, open files, links, signals, modules.

Windows keeps a file that is open from being replaced or deleted, gives links to administrators alone, has another
default encoding, and lacks some modules and signals.
"""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import Engine
from multihop.cli.named_indexes import parse_named_locations
from multihop.index.locations import parse_location
from multihop.index.stores.sqlite.lexical import LexicalCache
from multihop.rendering.files import write_atomically
from multihop.survey.files import stem
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document

SOURCES = sorted(Path(multihop.__file__).parent.rglob("*.py"))
LACKING = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
LACKING_SIGNALS = {"SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2"}


CONCERNED = re.compile(rf"\b(?:{'|'.join(sorted({'read_text', 'write_text'} | LACKING | LACKING_SIGNALS))})\b")
"""A module that has none of these words is of no concern to the tests that read them."""


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Give what the modules of the package are made of; the rest is of no concern to these tests."""
    return [
        (f"{file.name}:{node.lineno}", node)
        for file in SOURCES
        if CONCERNED.search(text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call | ast.Import | ast.Try | ast.Attribute)
    ]


def test_no_text_is_read_or_written_in_the_encoding_of_the_machine() -> None:
    before = {"read_text": 0, "write_text": 1}
    """Arguments that come before the encoding."""
    wrong = [
        place
        for place, node in nodes()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in before
        # What importlib.metadata gives has a method of the same name.
        if len(node.args) <= before[node.func.attr] and all(k.arg != "encoding" for k in node.keywords)
    ]
    assert wrong == []


def test_nothing_is_imported_or_caught_that_is_not_there() -> None:
    imported = {
        place
        for place, node in nodes()
        if isinstance(node, ast.Import) and LACKING & {alias.name for alias in node.names}
    }
    tried = {
        f"{place.split(':')[0]}:{inner.lineno}"
        for place, node in nodes()
        if isinstance(node, ast.Try)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import)
    }
    assert imported <= tried
    assert [place for place, node in nodes() if isinstance(node, ast.Attribute) and node.attr in LACKING_SIGNALS] == []


@pytest.mark.parametrize("given", [r"C:\data\wiki.mh", r"\\server\share\wiki.mh", "C:/data/wiki.mh"])
def test_a_path_with_a_drive_is_no_address(given: str) -> None:
    assert parse_location(given) == Path(given)
    assert parse_named_locations([f"wiki={given}"]) == {"wiki": Path(given)}


@pytest.mark.parametrize("group", ["Nul", "Con", "Com1", "A/B", 'a<b>:"c|d?*', "Ends with a dot.", "ends with blank "])
def test_files_of_a_survey_have_names_that_every_system_takes(group: str) -> None:
    name = stem(group, "hybrid")
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert name.upper() not in {"CON", "NUL", "PRN", "AUX", "COM1"}


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a mark of order"])
def test_files_with_the_line_ends_of_windows_give_the_same(tmp_path: Path, start: bytes) -> None:
    texts = {"a.md": "# Alpha\n\nGranite near Rome.\n", "b.csv": "id,title,text\nx,Beta,Größe\n", "c.txt": "Zürich.\n"}
    for folder, end in (("unix", "\n"), ("windows", "\r\n")):
        (tmp_path / folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / name).write_bytes(start + text.replace("\n", end).encode())
    found = []
    for folder in ("unix", "windows"):
        with Engine.open(tmp_path / f"{folder}.mh", create=True) as engine:
            engine.sync(tmp_path / folder)
            found.append([engine.document(listed.id) for listed in engine.documents()])
    assert found[0] == found[1]
    assert len(found[0]) == 3


def test_a_file_that_is_being_read_is_replaced_when_its_reader_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter([True, True, False])
    replace = Path.replace

    def busy(self: Path, target: Path) -> Path:
        if next(refusals):
            raise PermissionError(13, "The process cannot access the file")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", busy)
    write_atomically(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "new"
    refusals = iter([True] * 4)
    with pytest.raises(PermissionError, match="cannot access"):
        write_atomically(tmp_path / "a.json", "newer", durable=True)
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_read_only_index_is_read_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(tmp_path / "index", create=True) as engine:
        engine.add(Document("a", "Granite near Rome.", "Alpha"))

    def refused(self: Path, target: Path) -> None:
        raise OSError(22, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refused)
    monkeypatch.setattr(LexicalCache, "_writable", lambda self: False)
    with Engine.open(tmp_path / "index") as engine:
        assert [e.passage.id for e in engine.retrieve("granite", k=1, strategy="bm25")] == ["a#0"]


# --- open files ---


def held() -> set[str]:
    """List the files that this process has open or mapped into memory."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found.update(line.split(maxsplit=5)[5].strip() for line in maps if line.count("/") > 1)
    return found


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse to replace or delete what is open, and list what was refused."""
    if not os.path.exists("/proc/self/maps"):
        pytest.fail("this needs a system that lists the open files of a process in /proc")
    said: list[str] = []

    def guarded(change: Any, place: int) -> Any:
        def wrapped(*paths: Any, **options: Any) -> Any:
            folder = options.get("dir_fd")
            base = os.readlink(f"/proc/self/fd/{folder}") if isinstance(folder, int) else "."
            path = os.path.realpath(os.path.join(base, os.fspath(paths[place])))
            if path in held():
                said.append(path)
                raise PermissionError(13, "The process cannot access the file", path)
            return change(*paths, **options)

        return wrapped

    for name, place in (("replace", 1), ("rename", 1), ("unlink", 0), ("remove", 0)):
        monkeypatch.setattr(os, name, guarded(getattr(os, name), place))
    return said


def test_the_refusal_refuses(tmp_path: Path, refused: list[str]) -> None:
    with (tmp_path / "a").open("w", encoding="utf-8"), pytest.raises(PermissionError, match="cannot access"):
        (tmp_path / "a").unlink()
    (tmp_path / "a").unlink()
    assert refused == [str(tmp_path / "a")]


def test_an_index_works_where_open_files_stay(tmp_path: Path, refused: list[str]) -> None:
    folder = tmp_path / "index"
    with Engine.open(folder, create=True, embedder=HashEmbedder()) as engine:
        engine.add(sample_documents())
        view = engine.store.view()
        # A second reader holds the files of the first state while they are written anew.
        with Engine.open(folder, embedder=HashEmbedder()) as reader:
            assert reader.retrieve("Colin Archer", k=1).evidence
            engine.add(Document("new", "Granite near Larvik.", "Granite"))
            engine.delete("fram-ship")
            assert [e.passage.id for e in reader.retrieve("granite", k=1, strategy="bm25")] == ["new#0"]
        assert view.size == 182
        assert [check for check in engine.check() if not check.ok] == []
    (folder / "lexical" / "meta.json").unlink()
    with Engine.open(folder, embedder=HashEmbedder()) as engine:
        assert [e.passage.id for e in engine.retrieve("granite", k=1, strategy="bm25")] == ["new#0"]
        assert [check for check in engine.check() if not check.ok] == []
