from __future__ import annotations

import codecs
import gzip
import json
import re
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from multihop.errors import InvalidRecord
from multihop.index.readers import decoding, read
from multihop.types import Document

LINES = '{"_id": "1", "title": "A", "text": "First."}\n{"_id": "2", "title": "B", "text": "Second."}\n'
DOCUMENTS = [Document("1", "First.", "A"), Document("2", "Second.", "B")]


def problem(found: Document | InvalidRecord) -> str:
    assert isinstance(found, InvalidRecord)
    return str(found)


def test_one_document_per_line(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n" + LINES + "  \n")
    assert list(read(path)) == DOCUMENTS
    assert list(read(str(path), format="beir")) == DOCUMENTS


@pytest.mark.parametrize("name", ["c.ndjson", "c.JSONL"])
def test_other_suffixes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LINES.rstrip("\n").replace("\n", "\r\n"))
    assert list(read(tmp_path / name)) == DOCUMENTS


def test_compressed(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(LINES[:45].encode()) + gzip.compress(LINES[45:].encode()))
    frames = [zstandard.ZstdCompressor().compress(part.encode()) for part in (LINES[:45], LINES[45:])]
    (tmp_path / "c.jsonl.zst").write_bytes(b"".join(frames))
    assert list(read(tmp_path / "c.jsonl.gz")) == DOCUMENTS
    assert list(read(tmp_path / "c.jsonl.zst")) == DOCUMENTS


@pytest.mark.parametrize("name", ["c.jsonl.gz", "c.jsonl.zst"])
def test_damaged_compression_is_reported(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"no compressed data at all")
    assert f"{name}: cannot be read: " in problem(next(read(path)))


def test_a_cut_gzip_gives_what_it_holds_and_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl.gz"
    many = "".join(json.dumps({"id": i, "text": f"Number {i * 7919}."}) + "\n" for i in range(20_000))
    whole = gzip.compress(many.encode())
    path.write_bytes(whole[: len(whole) // 2])
    *documents, last = read(path)
    assert len(documents) > 1000
    assert "cannot be read: Compressed file ended" in problem(last)


def test_zst_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.jsonl.zst").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    [said] = read(tmp_path / "c.jsonl.zst")
    assert re.search(r'c.jsonl.zst: Reading .zst files .*pip install .*\[files\]"', problem(said))


def test_malformed_lines_are_reported_with_file_and_line_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": 1, "text": "a"}\n{"id": 2, "text"\n[1]\n{"id": 4, "text": ""}\n{"id": 5, "text": "b"}\n')
    first, cut, listed, empty, last = read(path)
    assert (first, last) == (Document("1", "a"), Document("5", "b"))
    assert problem(cut).startswith(f"{path}:2: is not valid JSON: Expecting ':' delimiter at character ")
    assert problem(listed) == f"{path}:3: a record must be an object with a text, not a list (a number)"
    assert problem(empty) == f"{path}:4: the text is empty"


def test_json_that_would_break_a_parser(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    deep = '{"id": 0, "text": "a", "metadata": ' + '{"a": ' * 600 + "1" + "}" * 601
    path.write_text("[" * 100_000 + "\n" + '{"id": ' + "9" * 5000 + "}\n" + deep + "\n" + LINES)
    nested, long, levels, *rest = read(path)
    assert isinstance(levels, Document)
    assert "nested too deeply" in problem(nested)
    assert "c.jsonl:2: is not usable JSON: " in problem(long)
    assert list(levels.metadata) == [".".join("a" * 8)]
    assert rest == DOCUMENTS


def test_bytes_that_are_not_utf_8_are_reported_with_their_position(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"id": 1, "text": "a"}\n{"id": 2, "text": "caf\xe9"}\n{"id": 3, "text": "\xc3\xa9"}\n')
    first, bad, last = read(path)
    assert (first, last) == (Document("1", "a"), Document("3", "é"))
    assert problem(bad).startswith(f"{path}:2: is not UTF-8 text: byte 0xe9 at position 23 of the line; save it as")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_the_encoding(tmp_path: Path, mark: bytes, encoding: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(mark + (LINES + '{"id": 3, "text": "東京 ਊ é"}').encode(encoding))
    assert list(read(path)) == [*DOCUMENTS, Document("3", "東京 ਊ é")]


def test_broken_utf_16_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(codecs.BOM_UTF16_LE + LINES.encode("utf-16-le") + b"\x00\xdc\x00")
    assert "is not UTF-16 text" in problem(list(read(path))[-1])


def test_control_characters_raw_and_escaped(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"id": 1, "text": "a\\u0000b\x00\x01c\\td\\ud800", "score": NaN}\n')
    assert list(read(path)) == [Document("1", "abc\td\ufffd")]


def test_ids_are_made_from_titles_or_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"title": "T", "text": "a"}\n{"title": "T", "text": "b"}\n\n{"text": "c"}\n')
    ids = [[d.id for d in read(path) if isinstance(d, Document)] for _ in range(2)]
    assert ids == [["T", "T~2", "c.jsonl:4"]] * 2


def test_a_second_record_of_the_same_id_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n')
    first, second = read(path)
    assert first == Document("1", "a")
    assert problem(second).startswith(f"{path}:2: the id '1' is that of a document read before; give each its own")


def test_a_record_of_ten_megabytes_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": 0, "text": "word " * 2_000_000}) + "\n" + LINES)
    first, *rest = read(path)
    assert isinstance(first, Document)
    assert len(first.text) == 9_999_999
    assert rest == DOCUMENTS


def test_a_line_beyond_the_limit_is_reported_and_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MAX_RECORD", 100)
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": 1, "text": "x" * 950}) + "\n" + LINES)
    long, *rest = read(path)
    assert problem(long) == f"{path}:1: is longer than 100 characters, the limit for one record"
    assert rest == DOCUMENTS


def test_empty_files_hold_no_documents(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(b"")
    assert list(read(tmp_path / "c.jsonl")) == []


def test_reading_is_lazy_and_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    line = json.dumps({"id": "number", "title": "T", "text": "Some words of a passage. " * 400}) + "\n"
    with path.open("w") as file:
        for number in range(1_000):
            file.write(line.replace("number", str(number)))
        file.write("this is not JSON\n")
    assert path.stat().st_size > 10_000_000
    tracemalloc.start()
    try:
        stream = read(path)
        assert isinstance(next(stream), Document)
        count = sum(isinstance(found, Document) for found in stream)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 999
    assert peak < 1_500_000
