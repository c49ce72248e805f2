"""Books (.epub): their chapters in reading order, each read as a web page.

The standard library is enough, and the one library there is for it (EbookLib) is under the AGPL.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree
from zipfile import ZipFile

from multihop.errors import InvalidRecord
from multihop.index.readers import html
from multihop.index.readers.archives import local_name, open_archive, properties, tree, words
from multihop.index.readers.files import Content, binary_format

_CONTAINER = "META-INF/container.xml"
_TOLD = {"creator": "author", "subject": "subject", "date": "date", "publisher": "publisher", "language": "language"}


def extract(data: bytes, source: str) -> Content:
    """Extract title, text and metadata from a book."""
    with open_archive(data, source, "book") as archive:
        if "META-INF/encryption.xml" in archive.namelist():
            raise InvalidRecord("is protected against reading (DRM)", source=source)
        package = next(
            (e.get("full-path") for e in tree(archive, _CONTAINER).iter() if local_name(e) == "rootfile"), None
        )
        if package is None:
            raise ValueError("its container file does not name its contents")
        root = tree(archive, package)
        chapters = [html.extract(page, source).text for page in _pages(archive, root, posixpath.dirname(package))]
        title = next((words(e) for e in root.iter() if local_name(e) == "title"), "")
        return Content("\n\n".join(filter(None, chapters)), title, properties(root, _TOLD))


def _pages(archive: ZipFile, root: ElementTree.Element, folder: str) -> Iterator[bytes]:
    files = {e.get("id"): e.get("href", "") for e in root.iter() if local_name(e) == "item"}
    known = set(archive.namelist())
    # A chapter that is listed again and again is read once.
    for reference in dict.fromkeys(e.get("idref") for e in root.iter() if local_name(e) == "itemref"):
        # Addresses are relative to the package file and escaped as on the web.
        part = posixpath.normpath(posixpath.join(folder, unquote(files.get(reference, ""))))
        if part in known:
            yield archive.read(part)


EPUB = binary_format(extract, (".epub",), "application/epub+zip")
