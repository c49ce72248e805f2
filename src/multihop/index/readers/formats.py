"""Which reader a file gets: by the suffix of its name, or by the name of a format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from multihop.errors import UnknownName, suggestion
from multihop.index.readers import docx, html, markdown, pdf, plain
from multihop.index.readers.csv import CsvReader
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import Extract, FileReader, bare_name
from multihop.index.readers.json import JsonReader
from multihop.index.readers.jsonl import JsonlReader
from multihop.index.readers.naming import Naming
from multihop.protocols import Reader

Make = Callable[[Naming | None], Reader]


def _one_document(extract: Extract) -> Make:
    return lambda naming: FileReader(extract, naming)


_READERS: dict[str, Make] = {
    "beir": JsonlReader,
    "csv": lambda naming: CsvReader(",", naming),
    "docx": _one_document(docx.extract),
    "html": _one_document(html.extract),
    "json": JsonReader,
    "jsonl": JsonlReader,
    "markdown": _one_document(markdown.extract),
    "pdf": _one_document(pdf.extract),
    "tsv": lambda naming: CsvReader("\t", naming),
    "txt": _one_document(plain.extract),
}
FORMATS = tuple(_READERS)
"""The names that `format` may have."""
SUFFIXES = {
    ".csv": "csv", ".docx": "docx", ".htm": "html", ".html": "html", ".json": "json", ".jsonl": "jsonl",
    ".markdown": "markdown", ".md": "markdown", ".ndjson": "jsonl", ".pdf": "pdf", ".text": "txt", ".tsv": "tsv",
    ".txt": "txt",
}  # fmt: skip
"""The format of each suffix; .gz and .zst may follow it."""


def format_named(name: str) -> str:
    """Check the name of a format; a suffix is understood as well."""
    wanted = name.lower().removeprefix(".")
    found = wanted if wanted in _READERS else SUFFIXES.get(f".{wanted}")
    if found is None:
        raise UnknownName(f"unknown format {name!r}; {suggestion(wanted, FORMATS)}")
    return found


def format_of(path: Path) -> str:
    """Tell the format of a file by its suffix."""
    suffix = Path(bare_name(path)).suffix.lower()
    if suffix not in SUFFIXES:
        what = f"files of type {suffix!r} cannot be read" if suffix else "the name has no suffix that tells its format"
        raise UnknownName(f"{source_of(path)}: {what}; {suggestion(suffix, SUFFIXES)}")
    return SUFFIXES[suffix]


def reader_of(format: str, naming: Naming | None = None) -> Reader:
    """Make the reader of a format, for files named by `naming`."""
    return _READERS[format](naming)
