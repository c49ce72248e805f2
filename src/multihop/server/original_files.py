"""The file that a document was read from, where it still lies as the index read it."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.index.readers import READERS, SourceNames
from multihop.index.readers.formats import format_of
from multihop.index.readers.page_image import PageImage, can_render, render_page
from multihop.index.syncing import PATH, is_unchanged
from multihop.protocols import Store
from multihop.server.problems import RETRY, Problem
from multihop.types import Metadata, SourceFile

MOST_QUOTED = 4000
"""Characters of a quote that is marked."""
_CACHED = 64
_RENDERING = threading.Semaphore(2)
_PATIENCE = 10.0


class OriginalFile(NamedTuple):
    """A file, and what the index noted of it."""

    place: Path
    noted: SourceFile
    format: str

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.place.name, "bytes": self.noted.size, "has_pages": self.format == "pdf" and can_render(),
        }  # fmt: skip


def original_file(store: Store, metadata: Metadata) -> OriginalFile | None:
    """Find the file of a document by its metadata; None where it is gone, was given by no folder, or holds others too.

    `store` is the whole index: a part of it, made for somebody's rights, does not know its folders.
    """
    path = str(metadata.get(PATH, ""))
    names = SourceNames.load(store.get_blob(SourceNames.BLOB))
    place = names.place(path) if path else None
    if place is None or not place.is_file():
        return None
    try:
        reading = names.read_as(place)
        format = format_of(place)
    except (InvalidInput, UnknownName):
        return None
    noted = store.files_at(reading.folder, [path]).get(path)
    # A table or an archive holds the records of others too; a link may lead out of the folder.
    inside = place.resolve().is_relative_to(Path(reading.sources[0].path).resolve())
    if noted is None or not inside or READERS[format].records or place.stat().st_size != noted.size:
        return None
    return OriginalFile(place, noted, format)


def read_original(file: OriginalFile) -> bytes:
    """Return the content of a file that is still the one that was read."""
    if not is_unchanged(file.place, file.noted):
        raise Problem(409, "the file has changed since it was indexed; sync the index with its folder")
    return file.place.read_bytes()


def page_image(file: OriginalFile, page: int, quote: str) -> PageImage:
    """Return a page of a PDF file as an image with a quote marked; few are rendered at a time."""
    if file.format != "pdf":
        raise Problem(422, "the document has no pages to show: it was not read from a PDF file")
    if not is_unchanged(file.place, file.noted):
        raise Problem(409, "the file has changed since it was indexed; sync the index with its folder")
    return _render_page(str(file.place), file.noted.digest, page, quote)


@lru_cache(maxsize=_CACHED)
def _render_page(place: str, _: str, page: int, quote: str) -> PageImage:
    if not _RENDERING.acquire(timeout=_PATIENCE):
        raise Problem(503, "too many pages are being rendered; try again in a moment", RETRY)
    try:
        return render_page(Path(place), page, quote)
    except InvalidRecord as error:
        raise Problem(422, f"the file {error.problem}") from error
    finally:
        _RENDERING.release()
