"""Word documents (.docx), by way of python-docx: paragraphs, headings and tables in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

from multihop.errors import InvalidRecord, MissingExtra
from multihop.index.readers.archives import check_size
from multihop.index.readers.files import Content, document_property

MAX_COLUMNS = 1000
"""Columns that a row of a table may cover; Word allows 63."""

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
# XML errors of lxml are SyntaxErrors; the rest is what a package with missing or odd parts raises.
_BROKEN = (AttributeError, BadZipFile, LookupError, NotImplementedError, OSError, SyntaxError, TypeError, ValueError)


def extract(data: bytes, source: str) -> Content:
    """Take title and text out of a Word document."""
    try:
        import docx
        from docx.opc.exceptions import OpcError
    except ImportError as error:
        raise MissingExtra("Reading DOCX files", "files") from error
    try:
        check_size(data, source)
        document: Any = docx.Document(BytesIO(data))
        blocks = [(block, _style(block)) for block in document.iter_inner_content()]
        title = next((block.text for block, style in blocks if style == "Title" and block.text.strip()), "")
        text = "\n\n".join(filter(None, (_block(block, style) for block, style in blocks)))
        about = document.core_properties
        fields = ("author", "subject", "keywords", "category", "created")
        told = dict(pair for name in fields for pair in document_property(name, getattr(about, name)))
        return Content(text, title or about.title, told)
    except InvalidRecord:
        raise
    except (OpcError, *_BROKEN) as error:
        raise InvalidRecord(f"is not a readable Word document: {error}", source=source) from error


def _style(block: Any) -> str:
    return "" if hasattr(block, "rows") else str(getattr(block.style, "name", None) or "")


def _block(block: Any, style: str) -> str:
    if hasattr(block, "rows"):
        return "\n".join(filter(None, (" | ".join(_cells(row)) for row in block.rows)))
    text = str(block.text).strip()
    if not text:
        return ""
    heading = _HEADING.fullmatch(style)
    if heading or style == "Title":
        level = min(int(heading[1]), 6) if heading else 1
        return f"{'#' * level} {' '.join(text.split())}"
    return text


def _cells(row: Any) -> Iterator[str]:
    covered = sum(cell.grid_span for cell in row._tr.tc_lst)
    if covered > MAX_COLUMNS:
        raise ValueError(f"a row of a table covers {covered} columns; at most {MAX_COLUMNS} are allowed")
    before = None
    for cell in row.cells:
        # A merged cell is given once for every column it covers.
        if cell._tc is not before and (text := " ".join(cell.text.split())):
            yield text
        before = cell._tc
