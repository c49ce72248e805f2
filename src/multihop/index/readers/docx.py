"""Word documents (.docx), by way of python-docx: paragraphs, headings and tables in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from multihop.errors import needs_extra
from multihop.index.readers.archives import convert_errors
from multihop.index.readers.files import OFFICE, Content, binary_format, document_properties, heading
from multihop.index.readers.tables import table

MAX_COLUMNS = 1000
"""Columns that a row of a table may cover; Word allows 63."""

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def extract(data: bytes, source: str) -> Content:
    """Extract title and text from a Word document."""
    with needs_extra("Reading DOCX files", "files"):
        import docx
        from docx.opc.exceptions import OpcError
    with convert_errors(data, source, "Word document", OpcError):
        document: Any = docx.Document(BytesIO(data))
        names: dict[str | None, str] = {}
        blocks = [(block, _style(block, names)) for block in document.iter_inner_content()]
        title = next((block.text for block, style in blocks if style == "Title" and block.text.strip()), "")
        text = "\n\n".join(filter(None, (_block(block, style) for block, style in blocks)))
        about = document.core_properties
        return Content(text, title or about.title, document_properties(about))


def _style(block: Any, names: dict[str | None, str]) -> str:
    if hasattr(block, "rows"):
        return ""
    # Every paragraph would look through all styles: half of the time of a long document.
    style: str | None = block._p.style
    if style not in names:
        names[style] = str(getattr(block.style, "name", None) or "")
    return names[style]


def _block(block: Any, style: str) -> str:
    if hasattr(block, "rows"):
        rows = list(block.rows)
        return table([list(_cells(row)) for row in rows], header=_names_columns(rows[0]) or None) if rows else ""
    text = str(block.text).strip()
    if not text:
        return ""
    level = _HEADING.fullmatch(style)
    if level or style == "Title":
        return heading(text, int(level[1]) if level else 1)
    return text


def _cells(row: Any) -> Iterator[str]:
    # Counted before `row.cells` is asked for, which makes an entry for every column that a cell claims.
    covered = sum(cell.grid_span for cell in row._tr.tc_lst)
    if covered > MAX_COLUMNS:
        raise ValueError(f"a row of a table covers {covered} columns; at most {MAX_COLUMNS} are allowed")
    before = None
    for cell in row.cells:
        # A merged cell is given once for every column it covers.
        yield " ".join(cell.text.split()) if cell._tc is not before else ""
        before = cell._tc


def _names_columns(row: Any) -> bool:
    """Return whether a row is marked as the header of its table, or written in bold."""
    if row._tr.xpath("./w:trPr/w:tblHeader"):
        return True
    runs = [run for cell in row.cells for paragraph in cell.paragraphs for run in paragraph.runs if run.text.strip()]
    return len(row.cells) > 1 and bool(runs) and all(run.bold for run in runs)


DOCX = binary_format(extract, (".docx",), f"{OFFICE}wordprocessingml.document")
