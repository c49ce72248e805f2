"""The formats of files: which reader each gets, by the suffix of its name or by the name of a format.

A new format is one row of the table here and one module that reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multihop.errors import UnknownName, suggestion
from multihop.index.readers import csv, docx, eml, epub, html, json, jsonl, markdown, odt, pdf, plain, pptx, rst, xlsx
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import Extract, FileReader, Parse, RecordReader, bare_name
from multihop.index.readers.naming import Naming
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.record import FieldNames
from multihop.protocols import DocumentReader

Make = Callable[[Naming | None, ReadOptions], DocumentReader]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how they are read, and how they are recognized."""

    make: Make
    suffixes: tuple[str, ...] = ()
    """The suffixes of its files, the usual one first; .gz and .zst may follow it."""
    media_types: tuple[str, ...] = ()
    """What web servers call it."""
    isolated: bool = False
    """True when its parser cannot be bounded from within, so that it runs in a process of its own."""
    records: bool = False
    """True when a file holds many documents, one for each of its records."""


def _text(extract: Extract, suffixes: tuple[str, ...], *media_types: str, isolated: bool = False) -> Format:
    def make(naming: Naming | None, options: ReadOptions) -> DocumentReader:
        return FileReader(extract, naming, options.encoding)

    return Format(make, suffixes, media_types, isolated=isolated)


def _binary(extract: Extract, suffixes: tuple[str, ...], *media_types: str) -> Format:
    return Format(lambda naming, _: FileReader(extract, naming), suffixes, media_types, isolated=True)


def _records(parse: Parse, suffixes: tuple[str, ...] = (), *media_types: str) -> Format:
    def make(naming: Naming | None, options: ReadOptions) -> DocumentReader:
        fields = FieldNames.of(options.text_field, options.title_field, options.id_field)
        return RecordReader(parse, naming, fields, options.encoding)

    return Format(make, suffixes, media_types, records=True)


_OFFICE = "application/vnd.openxmlformats-officedocument."
READERS: Mapping[str, Format] = {
    "beir": _records(jsonl.records),
    "csv": _records(partial(csv.records, ","), (".csv",), "text/csv"),
    "docx": _binary(docx.extract, (".docx",), f"{_OFFICE}wordprocessingml.document"),
    "eml": _binary(eml.extract, (".eml",), "message/rfc822"),
    "epub": _binary(epub.extract, (".epub",), "application/epub+zip"),
    "html": _text(html.extract, (".html", ".htm"), "text/html", "application/xhtml+xml"),
    "json": _records(json.records, (".json",), "application/json"),
    "jsonl": _records(jsonl.records, (".jsonl", ".ndjson"), "application/x-ndjson"),
    "markdown": _text(markdown.extract, (".md", ".markdown"), "text/markdown"),
    "mhtml": _binary(eml.extract_page, (".mhtml", ".mht")),
    "odt": _binary(odt.extract, (".odt",), "application/vnd.oasis.opendocument.text"),
    "pdf": _binary(pdf.extract, (".pdf",), "application/pdf"),
    "pptx": _binary(pptx.extract, (".pptx",), f"{_OFFICE}presentationml.presentation"),
    "rst": _text(rst.extract, (".rst",), isolated=True),
    "tsv": _records(partial(csv.records, "\t"), (".tsv",)),
    "txt": _text(plain.extract, (".txt", ".text"), "text/plain"),
    "xlsx": _binary(xlsx.extract, (".xlsx",), f"{_OFFICE}spreadsheetml.sheet"),
}
FORMATS = tuple(READERS)
"""The names that `format` may have."""
SUFFIXES = dict(sorted((suffix, name) for name, each in READERS.items() for suffix in each.suffixes))
"""The format of each suffix."""
MEDIA_TYPES = {kind: each.suffixes[0] for each in READERS.values() for kind in each.media_types}
"""The suffix for each media type."""


def format_named(name: str) -> str:
    """Check the name of a format; a suffix is understood as well."""
    wanted = name.lower().removeprefix(".")
    found = wanted if wanted in READERS else SUFFIXES.get(f".{wanted}")
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


def reader_of(format: str, naming: Naming | None = None, options: ReadOptions | None = None) -> DocumentReader:
    """Make the reader of a format, for files named by `naming`."""
    return READERS[format].make(naming, options or ReadOptions())
