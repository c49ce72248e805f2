from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from multihop.errors import InvalidRecord
from multihop.index.readers import decoding, read
from multihop.types import Document


def only(path: Path) -> Document | InvalidRecord:
    [found] = read(path)
    return found


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("A Title\n\nThe body.\nMore.\n", "A Title", "The body.\nMore."),
        ("Q\r\n \r\nOne letter.\r\n", "Q", "One letter."),
        ("First line.\nSecond line.", "notes.old", "First line.\nSecond line."),
        ("x" * 101 + "\n\nbody", "notes.old", "x" * 101 + "\n\nbody"),
        ("Only a line\n\n", "notes.old", "Only a line"),
    ],
)
def test_a_short_line_that_stands_alone_is_the_title(tmp_path: Path, text: str, title: str, body: str) -> None:
    path = tmp_path / "notes.old.txt"
    path.write_bytes(text.encode())
    assert only(path) == Document("notes.old.txt", body, title)


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.text"
    for mark, encoding in [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")]:
        path.write_bytes(mark + "Überall\n\nمرحبا 東京".encode(encoding))
        assert only(path) == Document("a.text", "مرحبا 東京", "Überall")


def test_what_is_not_text_is_reported_with_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo caf\xe9\n")
    found = only(path)
    said = f"{path}:2: is not UTF-8 text: byte 0xe9 at position 8 of the line"
    assert str(found) == f"{said}; save it as UTF-8 or give its --encoding"


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\x00\x01"])
def test_empty_files(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert str(only(path)) == f"{path}: the text is empty"


def test_files_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MAX_FILE", 10)
    path = tmp_path / "a.txt"
    path.write_text("x" * 11)
    assert str(only(path)) == f"{path}: is larger than 10 bytes, the limit for one document"
