"""Text documents of OpenDocument (.odt): paragraphs, headings, lists and tables in reading order.

Read with the standard library: the text is one XML file, and the libraries for it are no longer maintained.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from multihop.errors import InvalidRecord
from multihop.index.readers.archives import local_name, open_archive, properties, tree, words
from multihop.index.readers.files import Content, binary_format, heading
from multihop.index.readers.tables import table

_LEVEL = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}outline-level"
_LEFT_OUT = ("tracked-changes", "annotation", "table-of-content", "note-citation")
_TOLD = {"creator": "author", "subject": "subject", "keyword": "keywords", "creation-date": "created"}
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}


def extract(data: bytes, source: str) -> Content:
    """Extract title, text and properties from a document."""
    with open_archive(data, source, "text document") as archive:
        names = archive.namelist()
        # The archive itself is not encrypted, only what its parts hold, so it would open and be garbage.
        if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise InvalidRecord("is encrypted; save a copy without a password", source=source)
        body = next((e for e in tree(archive, "content.xml").iter() if local_name(e) == "body"), None)
        if body is None:
            raise ValueError("it has no text")
        about = tree(archive, "meta.xml") if "meta.xml" in names else ElementTree.Element("none")
        title = next((words(e) for e in about.iter() if local_name(e) == "title"), "")
        return Content("\n\n".join(filter(None, _blocks(body))), title, properties(about, _TOLD))


def _blocks(node: ElementTree.Element) -> Iterator[str]:
    for child in node:
        tag = local_name(child)
        if tag in _LEFT_OUT:
            continue
        if tag == "h":
            level = child.get(_LEVEL, "1")
            yield heading(_text(child), int(level) if level.isdigit() else 1)
        elif tag == "p":
            yield _text(child).strip()
        elif tag == "table":
            rows = [list(map(words, row)) for row in child.iter() if local_name(row) == "table-row"]
            yield table(rows, header=any(local_name(part) == "table-header-rows" for part in child) or None)
        else:
            yield from _blocks(child)


def _text(node: ElementTree.Element) -> str:
    parts = [node.text or ""]
    for child in node:
        tag = local_name(child)
        # Blanks in a row, tabs and line breaks are elements, since XML does not keep them as characters.
        parts.append(_SPACES.get(tag, "") or ("" if tag in _LEFT_OUT else _text(child)))
        parts.append(child.tail or "")
    return "".join(parts)


ODT = binary_format(extract, (".odt",), "application/vnd.oasis.opendocument.text")
