"""Workbooks (.xlsx), by way of openpyxl: every sheet under its name as heading, a line for each row.

A cell is written with the name of its column, so that a passage from the middle of a sheet still says what it means.
A workbook whose rows are documents is better saved as CSV, which has rules for ids, texts and metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from io import BytesIO
from typing import Any

from multihop.errors import needs_extra
from multihop.index.readers.archives import convert_errors
from multihop.index.readers.files import OFFICE, Content, binary_format, document_properties
from multihop.index.readers.tables import table

MAX_CELLS = 5_000_000
"""Cells of a workbook; a sheet can claim to have billions."""


def extract(data: bytes, source: str) -> Content:
    """Extract the cells of a workbook."""
    with needs_extra("Reading XLSX files", "files"):
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    with convert_errors(data, source, "workbook", InvalidFileException):
        book: Any = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
        # Counted through all sheets, in a list that each of them takes from.
        left = [MAX_CELLS]
        text = "\n\n".join(f"# {sheet.title}\n\n{body}" for sheet in book.worksheets if (body := _sheet(sheet, left)))
        about = book.properties
        return Content(text, about.title or "", document_properties(about, author="creator"))


def _sheet(sheet: Any, left: list[int]) -> str:
    # What a sheet says of its size is often wrong, and every row would be filled up to it.
    sheet.reset_dimensions()
    return table(_rows(sheet.iter_rows(values_only=True), left))


def _rows(rows: Iterable[tuple[object, ...]], left: list[int]) -> Iterator[list[str]]:
    for row in rows:
        left[0] -= len(row)
        if left[0] < 0:
            raise ValueError(f"it has more than {MAX_CELLS} cells; save the sheets you need as CSV")
        cells = [_cell(value) for value in row]
        # Formatted cells without a value stand at the end of many rows.
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return " ".join(str(value).split())


XLSX = binary_format(extract, (".xlsx",), f"{OFFICE}spreadsheetml.sheet")
