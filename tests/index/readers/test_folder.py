from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.index.readers import READERS, read
from multihop.index.readers.decoding import open_file
from multihop.index.readers.formats import media_types, reader_of, suffixes
from multihop.protocols import DocumentReader
from multihop.types import Document

from ...patience import patience


def ids(path: Path) -> list[str]:
    return [found.id for found in read(path) if isinstance(found, Document)]


def problems(path: Path) -> list[str]:
    return [str(found).removeprefix(str(path)) for found in read(path) if isinstance(found, InvalidRecord)]


def test_every_file_below_the_folder_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ["b.txt", "a/z.md", "a/y/x.html", "c.txt.gz", ".hidden.txt", ".git/x.txt", "~$lock.docx"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(b"text") if name.endswith(".gz") else b"text")
    assert ids(tmp_path) == ["a/y/x.html", "a/z.md", "b.txt", "c.txt.gz"]
    titles = [found.title for found in read(tmp_path) if isinstance(found, Document)]
    assert titles == ["x", "z", "b", "c"]


def test_what_cannot_be_read_is_reported_once_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"MZ")
    (tmp_path / "b.xhtml").write_text("<p>x")
    (tmp_path / "c").write_text("x")
    (tmp_path / "d.txt").write_text("x")
    os.mkfifo(tmp_path / "e.txt")
    (tmp_path / "f.txt").symlink_to(tmp_path / "gone")
    assert ids(tmp_path) == ["d.txt"]
    archive, page, bare, fifo, link = problems(tmp_path)
    assert archive.startswith("/a.zip: files of type '.zip' cannot be read; known: .csv, ")
    assert page == "/b.xhtml: files of type '.xhtml' cannot be read; did you mean '.html'?"
    assert bare.startswith("/c: the name has no suffix that tells its format; known: .csv, ")
    assert fifo == "/e.txt: is not a regular file"
    assert link == "/f.txt: cannot be read: No such file or directory"


def test_links_to_folders_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_text("x")
    (tmp_path / "real/up").symlink_to(tmp_path)
    (tmp_path / "z").symlink_to(tmp_path / "real")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    assert ids(tmp_path) == ["real/a.txt"]
    assert len(problems(tmp_path)) == 1


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    folder, other = tmp_path / "docs", tmp_path / "docs2"
    for place in (folder, other):
        place.mkdir()
        (place / "a.txt").write_text("x")
    (other / "metadata.csv").write_text("file,owner\na.txt,secret\n")
    (folder / "b.txt").symlink_to(other / "a.txt")
    (folder / "c").symlink_to(other)
    (folder / "d.txt").symlink_to("/proc/self/environ")
    (folder / "e.txt").symlink_to("../docs2/a.txt")
    (folder / "f.txt").symlink_to("a.txt")
    (folder / "metadata.csv").symlink_to(other / "metadata.csv")
    assert ids(folder) == ["a.txt", "f.txt"]
    assert [found.metadata for found in read(folder) if isinstance(found, Document)] == [{}, {}]
    said = "is a link out of the folder; to read what it leads to, give that as a source of its own"
    assert problems(folder) == [f"/{name}: {said}" for name in ("b.txt", "c", "d.txt", "e.txt", "metadata.csv")]
    # The folder itself may be a link, and a link that is given by name was asked for.
    (tmp_path / "link").symlink_to(folder)
    assert ids(tmp_path / "link") == ["a.txt", "f.txt"]
    assert ids(folder / "b.txt") == ["a.txt"]


def test_files_that_are_not_what_they_seem_hold_up_nothing(tmp_path: Path) -> None:
    for name, size in (("sparse.txt", 20 * 2**30), ("sparse.jsonl", 20 * 2**30), ("small.txt", 2**20)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    os.mkfifo(tmp_path / "metadata.csv")
    (tmp_path / "a.txt").write_text("x")
    found: list[InvalidRecord] = []
    with patience(), Engine.open(tmp_path.with_name(f"{tmp_path.name}.mh"), create=True) as engine:
        assert engine.sync(tmp_path, on_problem=found.append).added == 2
    names = [Path(problem.source).name for problem in found]
    assert names == ["metadata.csv", "sparse.jsonl", "sparse.txt", "small.txt"]
    assert "is sparse: it takes 0 of its 21474836480 bytes on disk" in str(found[1])


def test_a_file_that_grows_is_read_up_to_its_size(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "0", "text": "x"}\n')
    for count, found in enumerate(read(file), 1):
        assert isinstance(found, Document)
        assert count == 1
        with file.open("a") as growing:
            growing.write(f'{{"id": "{count}", "text": "x"}}\n')


def test_what_the_system_shows_as_empty_is_not_opened() -> None:
    with open_file(Path("/proc/self/status")) as file:
        assert file.read() == b""


def test_ids_are_fresh_across_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"title": "T", "text": "a"}\n{"text": "b"}\n')
    (tmp_path / "b").mkdir()
    (tmp_path / "b/a.csv").write_text("title,text\nT,c\n,d\n")
    (tmp_path / "b/a.json").write_text('[{"title": "T", "text": "e"}]')
    assert ids(tmp_path) == ["T", "a.jsonl:2", "T~2", "b/a.csv:3", "T~3"]
    assert ids(tmp_path) == ids(tmp_path)


def test_the_queries_of_a_beir_dataset_are_not_documents(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "title": "", "text": "a", "metadata": {}}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "a?"}\n')
    assert list(read(tmp_path)) == [Document("d", "a")]


def test_a_format_is_used_for_every_file(tmp_path: Path) -> None:
    (tmp_path / "a.data").write_text('{"id": 1, "text": "x"}\n')
    (tmp_path / "b.txt").write_text('{"id": 2, "text": "x"}\n')
    found = [Document("1", "x"), Document("2", "x")]
    assert list(read(tmp_path, format="jsonl")) == found
    assert list(read(tmp_path / "a.data", format=".NDJSON")) == found[:1]
    assert list(read(tmp_path / "b.txt", format="text")) == [Document("b.txt", '{"id": 2, "text": "x"}', "b")]


def test_unknown_names_raise_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsnl").write_text("x")
    with pytest.raises(
        UnknownName, match=r"a.jsnl: files of type '.jsnl' cannot be read; did you mean '.json'\?|'.jsonl'"
    ):
        read(tmp_path / "a.jsnl")
    with pytest.raises(UnknownName, match=r"unknown format 'markdwn'; did you mean 'markdown'\?"):
        read(tmp_path, format="markdwn")


@pytest.mark.parametrize("path", ["gone.txt", "a\0b", "x" * 5000 + "/a.txt"])
def test_a_missing_path_raises_at_once(tmp_path: Path, path: str) -> None:
    with pytest.raises(InvalidInput, match=r"^(no such file or folder: |cannot look for ).*$"):
        read(tmp_path / path)
    with pytest.raises(InvalidInput, match="no such file or folder: ''"):
        read("")


def test_file_names_that_are_no_text(tmp_path: Path) -> None:
    for name in (b"bad\xff.txt", b"line\nbreak.txt", b"bad\xff.jsonl"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text('{"text": "x"}')
    found = list(read(tmp_path))
    assert len(found) == 3
    for problem in found:
        assert isinstance(problem, InvalidRecord)
        assert "the id holds the control character" in str(problem)
        str(problem).encode()
        assert "\n" not in str(problem)


def test_files_that_go_away_or_refuse_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    stream = read(path)
    path.unlink()
    assert [str(found) for found in stream] == [f"{path}: cannot be read: No such file or directory"]


def test_an_empty_folder_holds_no_documents(tmp_path: Path) -> None:
    assert list(read(tmp_path)) == []


def test_every_format_has_a_reader() -> None:
    readers: list[DocumentReader] = [reader_of(name) for name in READERS.built_in]
    assert all(callable(reader.read) for reader in readers)
    assert set(suffixes().values()) == set(READERS.built_in) - {"beir"}
    assert suffixes()[".htm"] == "html"
    assert media_types()["application/xhtml+xml"] == ".html"
