from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import openpyxl

from multihop.rendering.xlsx import Cell, workbook

NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def cells(data: bytes) -> list[list[tuple[str, str]]]:
    """Read place and content of every cell, as a spreadsheet does."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert parts.testzip() is None
        for name in parts.namelist():
            ElementTree.fromstring(parts.read(name))
        sheet = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))
    return [
        [(c.get("r", ""), "".join(c.itertext())) for c in row.findall("m:c", NS)]
        for row in sheet.findall("m:sheetData/m:row", NS)
    ]


def test_texts_and_numbers() -> None:
    data = workbook(["country", "number"], [["Côte <d'Ivoire> & co", 1.5], ["=1+1", 3], ["a\x00b", None]], "a/b[c]")
    assert cells(data) == [
        [("A1", "country"), ("B1", "number")],
        [("A2", "Côte <d'Ivoire> & co"), ("B2", "1.5")],
        [("A3", "=1+1"), ("B3", "3")],
        [("A4", "a\ufffdb")],
    ]
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        sheet, book = parts.read("xl/worksheets/sheet1.xml").decode(), parts.read("xl/workbook.xml").decode()
    assert 't="inlineStr"' in sheet and "<f>" not in sheet
    assert 'name="a b c "' in book


def test_openpyxl_reads_what_is_written() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(workbook(["country", "number"], [["=1+1", 1.5], ["Japan", None]]))).active
    assert [[cell.value for cell in row] for row in sheet.rows] == [
        ["country", "number"],
        ["=1+1", 1.5],
        ["Japan", None],
    ]
    assert (sheet["A2"].data_type, sheet["A1"].font.b, sheet.freeze_panes) == ("s", True, "A2")


def test_addresses_can_be_followed_and_long_texts_do_not_push_the_rest_away() -> None:
    rows: list[list[Cell]] = [
        ["x" * 900, "../a%20b.pdf#page=3"],
        ["y", "javascript:x"],
        ["z", None],
        ["", 'https://e.org/?a="1"&b'],
    ]
    data = workbook(["sentence", "url"], rows, links="url")
    assert len(cells(data)) == 5
    sheet = openpyxl.load_workbook(io.BytesIO(data)).active
    assert [sheet[f"B{n}"].hyperlink and sheet[f"B{n}"].hyperlink.target for n in range(2, 6)] == [
        "../a%20b.pdf#page=3", None, None, 'https://e.org/?a="1"&b',
    ]  # fmt: skip
    assert [sheet.column_dimensions[c].width for c in "AB"] == [48, 24]


def test_the_same_rows_give_the_same_bytes() -> None:
    assert workbook(["a"], [["x"]]) == workbook(["a"], [["x"]])


def test_many_columns() -> None:
    [header] = cells(workbook([str(n) for n in range(30)], []))
    assert [place for place, _ in header][24:28] == ["Y1", "Z1", "AA1", "AB1"]
