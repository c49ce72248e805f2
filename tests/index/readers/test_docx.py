from __future__ import annotations

import zipfile
from datetime import datetime
from io import BytesIO
from pathlib import Path

import docx
import pytest

from multihop.errors import InvalidRecord
from multihop.index.readers import read
from multihop.types import Document, Metadata


def only(path: Path) -> Document | InvalidRecord:
    [found] = read(path)
    return found


def test_headings_paragraphs_and_tables_in_order(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    word = docx.Document()
    word.add_heading("Rivers", level=0)
    word.add_paragraph("The Rhine flows north.")
    word.add_heading("Big  ones", level=2)
    table = word.add_table(rows=2, cols=3)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ["Name", "Length", "", "Nile", "6650\nkm", ""], strict=True
    ):
        cell.text = text
    table.rows[1].cells[1].merge(table.rows[1].cells[2])
    word.add_paragraph("  ")
    word.add_paragraph("End.")
    word.core_properties.author, word.core_properties.keywords = "A. Writer", "rivers; water,"
    word.core_properties.created = datetime(2020, 4, 9, 12, 30)
    word.save(str(path))
    text = "# Rivers\n\nThe Rhine flows north.\n\n## Big ones\n\nName: Nile · Length: 6650 km\n\nEnd."
    about: Metadata = {"author": "A. Writer", "keywords": ("rivers", "water"), "created": "2020-04-09T12:30:00"}
    assert only(path) == Document("report.docx", text, "Rivers", about)


@pytest.mark.parametrize(("property", "title"), [("A Report", "A Report"), ("", "report")])
def test_the_title_may_be_a_property_or_the_name(tmp_path: Path, property: str, title: str) -> None:
    path = tmp_path / "report.docx"
    word = docx.Document()
    word.core_properties.title = property
    word.add_paragraph("Text.")
    word.save(str(path))
    found = only(path)
    assert isinstance(found, Document)
    assert (found.text, found.title) == ("Text.", title)


def test_a_long_table_costs_little(tmp_path: Path) -> None:
    path = tmp_path / "table.docx"
    word = docx.Document()
    table = word.add_table(rows=0, cols=2)
    for _ in range(300):
        table.add_row()
    table.rows[299].cells[0].text = "last"
    word.save(str(path))
    found = only(path)
    assert isinstance(found, Document)
    assert found.text == "last"


def test_broken_files(tmp_path: Path) -> None:
    (tmp_path / "1.docx").write_bytes(b"\xd0\xcf\x11\xe0 an old .doc file")
    with zipfile.ZipFile(tmp_path / "2.docx", "w") as archive:
        archive.writestr("other.txt", "x")
    word, good = docx.Document(), BytesIO()
    word.add_paragraph("Text.")
    word.save(good)
    with zipfile.ZipFile(good) as whole, zipfile.ZipFile(tmp_path / "3.docx", "w") as bad:
        for name in whole.namelist():
            bad.writestr(name, b"<broken" if name == "word/document.xml" else whole.read(name))
    for number, found in zip((1, 2, 3), read(tmp_path), strict=True):
        assert str(found).startswith(f"{tmp_path / str(number)}.docx: is not a readable Word document: ")


def test_an_empty_document(tmp_path: Path) -> None:
    path = tmp_path / "empty.docx"
    docx.Document().save(str(path))
    assert str(only(path)) == f"{path}: the text is empty"
