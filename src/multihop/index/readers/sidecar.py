"""`metadata.csv`: a table beside files that says what they are, one row for each: file, country, date, url …

The column `file` (or `filename`, `path`, `document`) holds the path of a file below the folder of the table, or its
name alone. A column `title` becomes the title; every other one a metadata field that counts before what the file says.
"""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers.record import TEXT_FIELDS, clean, parse_cell
from multihop.types import Document

NAME = "metadata.csv"
_FILE = ("file", "filename", "file_name", "path", "document")
_LARGEST = 64 * 2**20


Rows = Mapping[str, Mapping[str, str]]
"""The rows of a table, by the path of their file in lower case."""


def metadata_of(file: Path, root: Path) -> dict[str, str]:
    """Return the metadata that tables beside a file give it: the nearest folder wins, up to the root."""
    said: dict[str, str] = {}
    for folder in file.parents:
        rows, inner = _of(folder), file.relative_to(folder).as_posix().lower()
        # What a nearer table said before counts, so it comes last.
        said = {**(rows.get(inner) or rows.get(inner.rpartition("/")[2]) or {}), **said}
        if folder == root:
            break
    return said


def add_metadata(record: Document | InvalidRecord, said: Mapping[str, str]) -> Document | InvalidRecord:
    """Add the metadata of its file to a document."""
    if isinstance(record, InvalidRecord) or not said:
        return record
    fields = {name: parse_cell(value) for name, value in said.items() if name != "title"}
    return replace(record, title=said.get("title") or record.title, metadata={**record.metadata, **fields})


def is_sidecar(file: Path) -> bool:
    """Return whether a table describes files instead of holding documents: it names files and has no text."""
    try:
        status = file.lstat()
        # Neither a link, which may lead out of the folder, nor a pipe, which may never end.
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return False
        header = _names(next(_rows(file), []))
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    return any(name in _FILE for name in header) and not any(name in TEXT_FIELDS for name in header)


def digest_of(folder: Path) -> str:
    """Return a digest of all metadata tables of a folder; when it changes, files are read again."""
    # Not with pathlib, which would take long for ten thousand files.
    folders = (
        sorted(base for base, _, names in os.walk(folder) if NAME in names) if folder.is_dir() else [folder.parent]
    )
    sidecars = [Path(base, NAME) for base in folders]
    # In the order of the folders, so that the same tables always give the same digest.
    tables = [file.read_bytes() for file in sidecars if file.is_file() and is_sidecar(file)]
    return blake2b(b"\0".join(tables), digest_size=8).hexdigest() if tables else ""


def _of(folder: Path) -> Rows:
    file = folder / NAME
    return _read_table(file, file.stat().st_mtime_ns) if is_sidecar(file) else {}


# Asked for every file of the folder; the time of its last change keeps an edited table from being missed.
@lru_cache(64)
def _read_table(file: Path, _modified: int) -> Rows:
    table = _rows(file)
    header = _names(next(table, []))
    place = next(i for i, name in enumerate(header) if name in _FILE)
    rows: dict[str, dict[str, str]] = {}
    for row in table:
        cells = {name: clean(cell).strip() for name, cell in zip(header, row, strict=False) if name and cell.strip()}
        if len(row) > place and (path := row[place].strip().replace("\\", "/")):
            rows[path.lower()] = {name: cell for name, cell in cells.items() if name not in _FILE}
    return rows


def _names(header: list[str]) -> list[str]:
    return ["_".join(cell.lower().split()) for cell in header]


def _rows(file: Path) -> Iterator[list[str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        first = lines.readline()
        # Spreadsheets of half the world write semicolons.
        separator = ";" if ";" in first and "," not in first else ","
        yield from csv.reader(chain([first], lines), delimiter=separator)
