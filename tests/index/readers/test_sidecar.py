from __future__ import annotations

import os
from pathlib import Path

from multihop import Engine
from multihop.index.readers import read
from multihop.types import Document


def made(folder: Path, table: str, *files: str) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"The text of {name}.", "utf-8")
    (folder / "metadata.csv").write_text(table, "utf-8")
    return folder


def test_a_table_beside_files_describes_them(tmp_path: Path) -> None:
    table = "File,Country,Submission Date,Title\nsub\\a.txt,Japan,2021-10-22,The plan\nB.TXT,Peru,,\ngone.txt,Chad,,\n"
    folder = made(tmp_path / "f", table, "sub/a.txt", "b.txt", "c.txt")
    found = {d.id: d for d in read(folder) if isinstance(d, Document)}
    assert set(found) == {"sub/a.txt", "b.txt", "c.txt"}
    assert found["sub/a.txt"].title == "The plan"
    assert found["sub/a.txt"].metadata == {"country": "Japan", "submission_date": "2021-10-22"}
    assert found["b.txt"].metadata == {"country": "Peru"} and found["b.txt"].title == "b"
    assert found["c.txt"].metadata == {}


def test_the_nearest_table_counts_first(tmp_path: Path) -> None:
    made(tmp_path, "file;country;url\na.txt;Japan;https://example.org\n", "in/a.txt")
    made(tmp_path / "in", "file,country\na.txt,Peru\n")
    [found] = read(tmp_path)
    assert isinstance(found, Document)
    assert found.metadata == {"country": "Peru", "url": "https://example.org"}


def test_a_table_of_documents_is_read_as_such(tmp_path: Path) -> None:
    made(tmp_path, "id,text,file\n1,Some words.,x\n")
    assert [d.id for d in read(tmp_path) if isinstance(d, Document)] == ["1"]


def test_a_changed_table_is_noticed(tmp_path: Path) -> None:
    folder = made(tmp_path / "f", "file,country\na.txt,Japan\n", "a.txt")
    os.utime(folder / "a.txt", (1e9, 1e9))
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.sync(folder)
        assert dict(engine.values("country")) == {"Japan": 1}
        assert engine.sync(folder).unchanged == 1
        made(folder, "file,country\na.txt,Peru\n")
        engine.sync(folder)
        assert dict(engine.values("country")) == {"Peru": 1}
