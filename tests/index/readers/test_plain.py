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


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            "Vessel        Fee per night   Deposit\nSailing boat  12 EUR          50 EUR\nFishing boat  9 EUR\n",
            [
                "Vessel: Sailing boat · Fee per night: 12 EUR · Deposit: 50 EUR",
                "Vessel: Fishing boat · Fee per night: 9 EUR",
            ],
        ),
        (
            "Two columns, flush right.\n  Item       Price\n  Anchor      1200\n  Rope          15\nAll in May.",
            ["Two columns, flush right.", "Item: Anchor · Price: 1200", "Item: Rope · Price: 15", "All in May."],
        ),
        (
            "-----  ----\nName   Head\n-----  ----\nAnn    yes\n-----  ----\nBob    no\n\nZ",
            ["-----  ----", "Name: Ann · Head: yes", "Name: Bob · Head: no", "", "Z"],
        ),
        (
            "Region    2022    2023\nNorth    1,200   1,400\nSouth      900   1,000",
            ["Region: North · 2022: 1,200 · 2023: 1,400", "Region: South · 2022: 900 · 2023: 1,000"],
        ),
    ],
)
def test_rows_of_tables_have_the_names_of_their_columns(tmp_path: Path, text: str, rows: list[str]) -> None:
    (tmp_path / "a.txt").write_text(text)
    found = only(tmp_path / "a.txt")
    assert isinstance(found, Document)
    assert found.text.split("\n") == rows


@pytest.mark.parametrize(
    "text",
    [
        # Code, a poem, prose with wide spaces, and prose in two columns.
        "int    a    = 1;\nfloat  b    = 2;\nchar   c    = 3;",
        "Hwæt! We Gardena      in geardagum,\nþeodcyninga,      þrym gefrunon,\nhu ða æþelingas      ellen fremedon.",
        "One sentence.  Another of 3 words.  A third.\nNext line.  It has 12 words.  End.\nLast.  It has 13.  End.",
        "The council met on Monday     and the budget of 2024 was\nand discussed the budget      approved with 12\n"
        "votes, for the coming year,   after 4 hours of debate in 2",
        # Rows without a header: nothing tells the first from the others.
        "Marta Eide   Head     51 00 01\nJonas Lie    Pilot    51 00 02\nOlav Brekke  Guard    51 00 03",
        "Marta Eide   Head     Oslo\nJonas Lie    Pilot    Bergen\nOlav Brekke  Guard    Larvik",
        "Fram   1892   1912\nGjøa   1872   1906\nMaud   1916   1930",
        # Names and values, a table of contents, a listing of files, a play.
        "Name     Marta Eide\nPhone    51 00 01\nBorn     1971",
        "1. Introduction      3\n2. Methods          10\n3. Results          25",
        "-rw-r--r--  1 user  staff   123 Jan  1 a.txt\n-rw-r--r--  1 user  staff  4567 Jan  1 b.txt",
        "ROMEO:    Good morrow, cousin.\nJULIET:   Is the day so young?\nROMEO:    But new struck 9.",
        "Item   Price   Tax",
    ],
)
def test_other_text_with_wide_spaces_stays_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert only(tmp_path / "a.txt") == Document("a.txt", text, "a")
