"""Files made to exhaust whoever reads them: each is a problem to report, soon, and nothing else suffers."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from multihop.errors import InvalidRecord
from multihop.index.readers import decoding, read
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.limits import MIB, ReadLimits
from multihop.types import Document

from ..patience import ENOUGH, patience
from .bombs import docx, long_work, paragraphs, pdf

pytestmark = pytest.mark.release  # what is waited for is a limit of time or memory


def only_problem(records: Iterator[Document | InvalidRecord]) -> str:
    [found] = list(records)
    assert isinstance(found, InvalidRecord), found
    return found.problem


def test_a_small_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(paragraphs(3), picture=b"\0" * MIB))
    [found] = read(tmp_path / "a.docx")
    assert isinstance(found, Document)
    assert found.text == "a\n\na\n\na"


@cache
def _huge() -> bytes:
    return docx(paragraphs(1), a=b"\0" * (300 * MIB), b=b"\0" * (300 * MIB))


def test_a_picture_that_unpacks_to_more_than_memory_holds(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(_huge())
    assert "unpacks to 629" in only_problem(read(tmp_path / "a.docx"))


@pytest.mark.parametrize("suffix", ["epub", "odt", "pptx", "xlsx"])
def test_an_archive_that_unpacks_to_more_than_memory_holds(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a.{suffix}").write_bytes(_huge())
    assert "unpacks to 629" in only_problem(read(tmp_path / f"a.{suffix}"))


def test_entities_that_grow_without_end(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
    bomb = f'<!DOCTYPE d [<!ENTITY a0 "lol">{levels}]><d><body>&a29;</body></d>'
    with ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("content.xml", bomb)
    assert "is not a readable text document" in only_problem(read(tmp_path / "a.odt"))


def test_a_sheet_that_claims_billions_of_cells(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B1"] = "Name", "Year"
    book.active["A1000000"] = "Fram"
    book.save(tmp_path / "a.xlsx")
    data = BytesIO()
    with ZipFile(tmp_path / "a.xlsx") as given, ZipFile(data, "w") as made:
        for part in given.namelist():
            made.writestr(part, re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', given.read(part)))
    (tmp_path / "a.xlsx").write_bytes(data.getvalue())
    [found] = read(tmp_path / "a.xlsx")
    assert isinstance(found, Document)
    assert found.text == "# Sheet\n\nName: Fram"


def test_a_cell_that_covers_millions_of_columns(tmp_path: Path) -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="10000000"/></w:tcPr>{paragraphs(1)}</w:tc>'
    (tmp_path / "a.docx").write_bytes(docx(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>"))
    assert "covers 10000000 columns; at most 1000 are allowed" in only_problem(read(tmp_path / "a.docx"))


def test_a_million_paragraphs_in_a_tenth_of_a_megabyte_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(paragraphs(1_000_000)))
    assert "becomes more than 100 times its size" in only_problem(read(tmp_path / "a.docx"))


def test_a_parser_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(long_work())
    (tmp_path / "b.docx").write_bytes(docx(paragraphs(1)))
    with patience(), ReadingProcess(ReadLimits(seconds=1.0)) as process:
        assert "took more time to read than is allowed" in only_problem(process.read(tmp_path / "a.docx", "docx"))
        # On a busy machine a new process may need longer than that to start.
        process._limits = ReadLimits(seconds=ENOUGH)
        [after] = process.read(tmp_path / "b.docx", "docx")
        assert isinstance(after, Document)


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems limit the memory of a process")
def test_a_parser_that_fills_the_memory_is_ended(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a b " * (50 * MIB))
    with ReadingProcess(ReadLimits(memory=200 * MIB)) as process:
        assert "needs more than 200 MiB of memory" in only_problem(process.read(tmp_path / "a.txt", "txt"))


def test_a_document_of_more_characters_than_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a b " * 1000)
    with ReadingProcess(ReadLimits(characters=1000)) as process:
        assert "has 3999 characters; at most 1000 are allowed" in only_problem(process.read(tmp_path / "a.txt", "txt"))


def test_unreadable_records_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("x\n" * 5000)
    with ReadingProcess(ReadLimits(problems=10)) as process:
        found = list(process.read(tmp_path / "a.jsonl", "jsonl"))
    assert len(found) == 11
    assert isinstance(found[-1], InvalidRecord)
    assert "the rest is not read" in found[-1].problem


def test_a_reader_that_dies_is_a_problem_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pypdf.py").write_text("import os; os.abort()")
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    monkeypatch.syspath_prepend(tmp_path / "broken")
    assert "crashed the process that reads files (signal 6)" in only_problem(read(tmp_path / "a.pdf"))


def test_reading_ends_when_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(long_work())

    class Enough(Exception):
        pass

    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > 2:
            raise Enough

    with patience(), ReadingProcess(check=check) as process, pytest.raises(Enough):
        list(process.read(tmp_path / "a.docx", "docx"))


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.txt.gz"])
def test_compressed_emptiness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(decoding, "FREE_EXPANSION", MIB)
    (tmp_path / name).write_bytes(gzip.compress(b"\n" * (20 * MIB)))
    assert "becomes more than 100 times its size" in only_problem(read(tmp_path / name))


def test_a_page_that_is_listed_many_times_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(listed=3000))
    [found] = read(tmp_path / "a.pdf")
    assert isinstance(found, Document)
    assert found.text == "Hello\f"


def test_a_chapter_that_is_listed_many_times_is_read_once(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.epub", "w") as book:
        book.writestr("META-INF/container.xml", '<container><rootfile full-path="a.opf"/></container>')
        listed = '<itemref idref="one"/>' * 3000
        book.writestr("a.opf", f'<package><item id="one" href="one.html"/><spine>{listed}</spine></package>')
        book.writestr("one.html", "<p>Hello</p>")
    [found] = read(tmp_path / "a.epub")
    assert isinstance(found, Document)
    assert found.text == "Hello"


def test_malformed_json_costs_time_in_proportion_to_its_length(tmp_path: Path) -> None:
    """An error of the parser counts the lines before it; measured in characters looked at, so that no clock decides."""
    from multihop.index.readers import json

    (tmp_path / "a.json").write_text("[" + '{"a":1]},' * 20_000)
    held = []

    class Watched(json.JsonRecords):
        def _parse(self) -> tuple[object, int | None]:
            held.append(self.at)
            return super()._parse()

    with decoding.open_file(tmp_path / "a.json") as file, decoding.text_of(file) as text:
        for _ in Watched(text, "a.json").records():
            pass
    assert len(held) > 20_000
    assert max(held) < 2**15
