"""Documents that are ZIP archives of XML: how far they may unpack, and their parts as trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from multihop.errors import InvalidRecord

MAX_UNPACKED = 512 * 2**20
"""Bytes of all parts of a document, pictures among them: parsers hold all of them in memory."""
MAX_EXPANSION = 100
"""How many times its size the XML of a document may become; ordinary documents become ten to thirty times theirs."""
FREE_EXPANSION = 4 * 2**20
"""Bytes that the XML of a document may become whatever its size."""
_NOT_PARSED = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".bin")
# What parsers raise over missing or odd parts; XML errors of lxml are SyntaxErrors.
_BROKEN = (AttributeError, BadZipFile, LookupError, OSError, RuntimeError, SyntaxError, TypeError, ValueError)


def check_size(data: bytes, source: str) -> None:
    """Raise for an archive that would fill the memory; a part cannot unpack to more than the archive declares."""
    with ZipFile(BytesIO(data)) as archive:
        parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    # Pictures are never parsed: what they unpack to takes memory, but no work.
    parsed = sum(part.file_size for part in parts if not part.filename.lower().endswith(_NOT_PARSED))
    if parsed > max(FREE_EXPANSION, MAX_EXPANSION * len(data)):
        # A tenth of a megabyte would be a minute of work.
        raise InvalidRecord(
            f"becomes more than {MAX_EXPANSION} times its size when it is unpacked; save it again, or leave it out",
            source=source,
        )
    if unpacked > MAX_UNPACKED:
        raise InvalidRecord(
            f"unpacks to {unpacked} bytes, of {MAX_UNPACKED} allowed; remove large pictures from it",
            source=source,
        )


@contextmanager
def convert_errors(data: bytes, source: str, what: str, *errors: type[Exception]) -> Iterator[None]:
    """Convert errors while reading an archive or its parts into an `InvalidRecord` of the file."""
    broken: tuple[type[Exception], ...] = (*errors, *_BROKEN)
    try:
        check_size(data, source)
        yield
    except broken as error:
        # It is a ValueError itself and says already what is wrong.
        if isinstance(error, InvalidRecord):
            raise
        reason = "it is encrypted" if "encrypted" in str(error) else str(error)
        raise InvalidRecord(f"is not a readable {what}: {reason}", source=source) from error


@contextmanager
def open_archive(data: bytes, source: str, what: str) -> Iterator[ZipFile]:
    """Open a document that is an archive, to read its parts one by one."""
    with convert_errors(data, source, what), ZipFile(BytesIO(data)) as archive:
        yield archive


def tree(archive: ZipFile, part: str) -> ElementTree.Element:
    """Parse a part of the archive; expat rejects entity bombs."""
    return ElementTree.fromstring(archive.read(part))  # noqa: S314  # in a process of its own, within limits


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def properties(root: ElementTree.Element, fields: Mapping[str, str]) -> dict[str, object]:
    """Read properties by the names of their elements; one that is there several times has several values."""
    by_field: dict[str, tuple[str, ...]] = {}
    for element in root.iter():
        if (field := fields.get(local_name(element))) and (value := words(element)):
            by_field[field] = (*by_field.get(field, ()), value)
    return {field: values if values[1:] else values[0] for field, values in by_field.items()}


def words(element: ElementTree.Element) -> str:
    """Return the text of an element and all below it, on one line."""
    return " ".join("".join(element.itertext()).split())
