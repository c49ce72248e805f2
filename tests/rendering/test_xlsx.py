from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import openpyxl
from openpyxl.worksheet.worksheet import Worksheet

from multihop.rendering.xlsx import Cell, workbook


def opened(data: bytes) -> Worksheet:
    """Open a workbook as a spreadsheet does; every part of it is well-formed."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert parts.testzip() is None
        for name in parts.namelist():
            ElementTree.fromstring(parts.read(name))
    return openpyxl.load_workbook(io.BytesIO(data)).active


def test_texts_and_numbers() -> None:
    data = workbook(["country", "number"], [["Côte <d'Ivoire> & co", 1.5], ["=1+1", 3], ["a\x00b", None]], "a/b[c]")
    sheet = opened(data)
    assert [[cell.value for cell in row] for row in sheet.rows] == [
        ["country", "number"],
        ["Côte <d'Ivoire> & co", 1.5],
        ["=1+1", 3],
        ["a\ufffdb", None],
    ]
    assert (sheet["A3"].data_type, sheet["B3"].data_type, sheet.title) == ("s", "n", "a b c ")
    assert (sheet["A1"].font.b, sheet["A2"].font.b, sheet.freeze_panes, sheet.auto_filter.ref) == (
        True, False, "A2", "A1:B4",
    )  # fmt: skip


def test_what_looks_like_another_kind_of_cell_stays_a_text() -> None:
    texts: list[Cell] = ["=1+1", "{=SUM(A1)}", "12", "https://e.org", "internal:A1", "x" * 40_000, "\ud800", True]
    sheet = opened(workbook(["text"], [[each] for each in texts]))
    assert [cell.data_type for cell in sheet["A"]] == ["s"] * 9
    assert not any(cell.hyperlink for cell in sheet["A"])
    assert [len(sheet["A7"].value), sheet["A8"].value, sheet["A9"].value] == [32_767, "\ufffd", "True"]


def test_addresses_can_be_followed_and_long_texts_do_not_push_the_rest_away() -> None:
    rows: list[list[Cell]] = [
        ["x" * 900, "../a%20b.pdf#page=3"],
        ["y", "javascript:x"],
        ["z", None],
        ["", 'https://e.org/?a="1"&b'],
    ]
    data = workbook(["sentence", "url"], rows, links="url")
    sheet = opened(data)
    assert sheet.max_row == 5
    links = [sheet[f"B{n}"].hyperlink for n in range(2, 6)]
    assert [link and (link.target, link.location) for link in links] == [
        ("..\\a%20b.pdf", "page=3"), None, None, ("https://e.org/?a=%221%22&b", None),
    ]  # fmt: skip
    assert sheet["B2"].value == "../a%20b.pdf#page=3"
    # Excel keeps the margin of a cell in its width.
    assert [int(sheet.column_dimensions[c].width) for c in "AB"] == [48, 24]


def test_the_same_rows_give_the_same_bytes() -> None:
    data = workbook(["a"], [["x"]])
    assert data == workbook(["a"], [["x"]])
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert {part.date_time[0] for part in parts.infolist()} == {1980}
        assert b">1980-01-01T00:00:00Z</dcterms:created>" in parts.read("docProps/core.xml")


def test_many_columns() -> None:
    [header] = opened(workbook([str(n) for n in range(30)], [])).rows
    assert [cell.coordinate for cell in header][24:28] == ["Y1", "Z1", "AA1", "AB1"]
