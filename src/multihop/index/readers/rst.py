"""reStructuredText, by way of docutils: sections as headings, without the marks; nothing is included or executed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multihop.errors import InvalidRecord, needs_extra
from multihop.index.readers.decoding import decode
from multihop.index.readers.files import Content, heading, text_format
from multihop.index.readers.record import clean
from multihop.index.readers.tables import table

# A file must not read others or pass HTML through; its mistakes cost a line of text, not the document.
_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "report_level": 5, "halt_level": 6, "warning_stream": False,
    "input_encoding": "unicode", "_disable_config": True, "line_length_limit": 1_000_000,
}  # fmt: skip
_LEFT_OUT = ("comment", "substitution_definition", "system_message", "target", "docinfo", "problematic")
_BLOCKS = ("paragraph", "literal_block", "line_block", "term", "rubric", "caption", "attribution")


def extract(data: bytes, source: str) -> Content:
    """Extract title, top-level fields and text from a file."""
    with needs_extra("Reading RST files", "files"):
        from docutils.core import publish_doctree
    try:
        document: Any = publish_doctree(clean(decode(data, source)), settings_overrides=_SETTINGS)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InvalidRecord):
            raise
        raise InvalidRecord(f"is not readable reStructuredText: {error}", source=source) from error
    title = document.get("title") or ""
    fields = dict(_fields(document))
    return Content("\n\n".join(filter(None, _blocks(document, 1))), title, fields)


def _fields(document: Any) -> Iterator[tuple[str, str]]:
    for node in document.children:
        if node.tagname == "docinfo":
            for each in node.children:
                name, value = (c.astext() for c in each.children) if each.tagname == "field" else ("", each.astext())
                yield (name or each.tagname), value


def _is_row(node: Any) -> bool:
    return getattr(node, "tagname", "") == "row"


def _blocks(node: Any, level: int) -> Iterator[str]:
    for child in node.children:
        tag = child.tagname
        if tag in _LEFT_OUT:
            continue
        if tag in ("title", "subtitle"):
            yield heading(child.astext(), level if tag == "title" else level + 1)
        elif tag == "section":
            yield from _blocks(child, level + 1)
        elif tag == "table":
            rows = [[entry.astext() for entry in row.children] for row in child.findall(_is_row)]
            yield table(rows, header=any(node.tagname == "thead" for node in child.findall()) or None)
        elif tag in _BLOCKS:
            yield child.astext()
        elif tag != "#text":
            yield from _blocks(child, level)


RST = text_format(extract, (".rst",), isolated=True)
