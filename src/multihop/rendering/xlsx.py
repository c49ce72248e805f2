"""Tables as an Excel workbook (XlsxWriter): one sheet, a frozen header row, typed numbers and dates, links.

The output is deterministic: the same rows give the same bytes. Text is written as text, never as a formula.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from multihop.rendering.html import SAFE_LINK_PREFIXES

Cell = str | int | float | date | time | timedelta | None
# Characters that XML 1.0 does not allow, even as references.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_CELL, _LONGEST_LINK, _MOST_LINKS = 32_767, 2_000, 65_530
"""Excel's limits: characters per cell, characters per URL, URLs per sheet."""
_WIDEST = 48
_DAY, _MOMENT, _TIME, _DURATION = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "hh:mm:ss", "[h]:mm:ss"
"""Number formats."""


Table = tuple[Sequence[str], Iterable[Sequence[Cell]]]
"""A header and rows."""


def workbook(header: Sequence[str], rows: Iterable[Sequence[Cell]], sheet: str = "Sheet1", links: str = "") -> bytes:
    """Write a table as the bytes of an .xlsx file; the column named `links` holds URLs to link to."""
    return workbook_of({sheet: (header, rows)}, links)


def workbook_of(sheets: Mapping[str, Table], links: str = "") -> bytes:
    """Write several tables, each on a sheet of its name."""
    # Slow to import, and most commands write no workbook.
    from xlsxwriter import Workbook

    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        # The current time would make the bytes differ on every run.
        book.set_properties({"created": datetime(1980, 1, 1)})
        bold = book.add_format({"bold": True})
        formats = {code: book.add_format({"num_format": code}) for code in (_DAY, _MOMENT, _TIME, _DURATION)}
        for name, (header, rows) in sheets.items():
            # Characters that sheet names may not contain, and their maximum length.
            page = book.add_worksheet(re.sub(r"[\[\]:*?/\\]", " ", name)[:31].strip("'") or "Sheet1")
            _write(page, bold, formats, header, rows, links)
    return out.getvalue()


def _write(
    page: Any,
    bold: Any,
    formats: Mapping[str, Any],
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    links: str,
) -> None:
    widths, last = [len(name) + 3 for name in header], 0
    linked, left = header.index(links) if links in header else -1, _MOST_LINKS
    for column, name in enumerate(header):
        page.write_string(0, column, name, bold)
    for last, row in enumerate(rows, 1):
        for column, cell in enumerate(row):
            if cell is None or cell == "":
                continue
            # A long sentence must not push the other columns off screen.
            widths[column] = max(widths[column], min(len(str(cell)) + 2, _WIDEST))
            # A bool is a number to Python; a cell shows it as a word.
            if isinstance(cell, int | float) and not isinstance(cell, bool):
                page.write_number(last, column, cell)
                continue
            if isinstance(cell, date | time | timedelta):
                page.write_datetime(last, column, cell, formats[_date_format(cell)])
                continue
            text = _FORBIDDEN.sub("\ufffd", str(cell))[:_LONGEST_CELL]
            if column == linked and left and text.startswith(SAFE_LINK_PREFIXES) and len(text) <= _LONGEST_LINK:
                left -= 1
                target = text if text.startswith("http") else f"external:{text}"
                page.write_url(last, column, target, string=text)
            else:
                page.write_string(last, column, text)
    for column, width in enumerate(widths):
        page.set_column(column, column, width)
    page.freeze_panes(1, 0)
    page.autofilter(0, 0, last, len(header) - 1)


def _date_format(value: date | time | timedelta) -> str:
    if isinstance(value, time):
        return _TIME
    if isinstance(value, timedelta):
        return _DURATION
    # A day in a sheet is read as its midnight.
    return _MOMENT if isinstance(value, datetime) and value.time() != time() else _DAY
