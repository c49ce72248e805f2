"""Tables as a workbook (Office Open XML, ECMA-376): one sheet, a header that stays in sight, numbers as numbers, links.

The same rows always give the same bytes. Texts are written as texts, so a spreadsheet takes none for a formula.
Not left to openpyxl, which writes the time into the file and comes with an extra that a survey does not need.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from itertools import islice
from xml.sax.saxutils import escape

from multihop.rendering.html import FOLLOWED

Cell = str | int | float | None
_LONGEST = 32_767
"""What a cell may hold."""
# What XML 1.0 cannot hold, not even as a character reference.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WIDEST = 48
_MOST_LINKS = 65_530
"""What a sheet may hold."""
# The earliest time that a zip archive can hold; the real one would give other bytes every time.
_WHEN = (1980, 1, 1, 0, 0, 0)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_START = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FIXED = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def workbook(header: Sequence[str], rows: Iterable[Sequence[Cell]], sheet: str = "Sheet1", links: str = "") -> bytes:
    """Write a table as the bytes of an .xlsx file; the column named `links` holds addresses to be followed."""
    # Gone through twice: in a sheet the widths of its columns stand before the first row.
    written = list(rows)
    at = header.index(links) if links else 0
    addresses = ((f"{_column(at + 1)}{n}", str(row[at])) for n, row in enumerate(written, 2) if links)
    targets = dict(islice((each for each in addresses if each[1].startswith(FOLLOWED)), _MOST_LINKS))
    # What the name of a sheet must not hold, and how long it may be.
    title = re.sub(r"[\[\]:*?/\\]", " ", sheet)[:31] or "Sheet1"
    book = (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews><sheets>'
        f'<sheet name="{escape(title, {chr(34): "&quot;"})}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, content in {
            **_FIXED,
            "xl/workbook.xml": book,
            "xl/worksheets/sheet1.xml": _sheet(header, written, list(targets)),
            "xl/worksheets/_rels/sheet1.xml.rels": _targets(targets.values()),
        }.items():
            parts.writestr(zipfile.ZipInfo(name, _WHEN), _START + content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _sheet(header: Sequence[str], rows: Sequence[Sequence[Cell]], linked: Sequence[str]) -> str:
    lines = [_row(1, header, style=1), *(_row(number, row) for number, row in enumerate(rows, 2))]
    last = f"{_column(len(header))}{len(lines)}"
    columns = "".join(
        f'<col min="{place}" max="{place}" width="{_width(name, [row[place - 1] for row in rows])}" customWidth="1"/>'
        for place, name in enumerate(header, 1)
    )
    links = "".join(f'<hyperlink ref="{cell}" r:id="rId{number}"/>' for number, cell in enumerate(linked, 1))
    return (
        f'<worksheet xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        f'<cols>{columns}</cols><sheetData>{"".join(lines)}</sheetData><autoFilter ref="A1:{last}"/>'
        f"{f'<hyperlinks>{links}</hyperlinks>' if links else ''}</worksheet>"
    )


def _width(name: str, cells: Iterable[Cell]) -> int:
    """As wide as its longest cell, within bounds: a sentence must not push everything else out of sight."""
    longest = max((len(str(cell)) for cell in cells if cell is not None), default=0)
    return max(len(name) + 3, min(longest + 2, _WIDEST))


def _targets(links: Iterable[str]) -> str:
    quoted = (escape(_FORBIDDEN.sub("", link), {'"': "&quot;"}) for link in links)
    each = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/hyperlink" Target="{link}" TargetMode="External"/>'
        for number, link in enumerate(quoted, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _row(number: int, cells: Sequence[Cell], style: int = 0) -> str:
    written = "".join(_cell(f"{_column(place)}{number}", cell, style) for place, cell in enumerate(cells, 1))
    return f'<row r="{number}">{written}</row>'


def _cell(place: str, value: Cell, style: int) -> str:
    if value is None or value == "":
        return ""
    # To Python a bool is a number; a cell shows it as a word.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<c r="{place}" s="{style}"><v>{value!r}</v></c>'
    text = escape(_FORBIDDEN.sub("\ufffd", str(value))[:_LONGEST])
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _column(number: int) -> str:
    # Columns have no zero: after Z comes AA, so every place counts from 1.
    letters = ""
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters
