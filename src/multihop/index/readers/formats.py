"""Which reader a file gets: by the suffix of its name, or by the name of a format."""

from __future__ import annotations

from collections.abc import Callable
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


def _text(extract: Extract) -> Make:
    return lambda naming, options: FileReader(extract, naming, options.encoding)


def _binary(extract: Extract) -> Make:
    return lambda naming, _: FileReader(extract, naming)


def _records(parse: Parse) -> Make:
    def make(naming: Naming | None, options: ReadOptions) -> DocumentReader:
        fields = FieldNames.of(options.text_field, options.title_field, options.id_field)
        return RecordReader(parse, naming, fields, options.encoding)

    return make


_READERS: dict[str, Make] = {
    "beir": _records(jsonl.records),
    "csv": _records(partial(csv.records, ",")),
    "docx": _binary(docx.extract),
    "eml": _binary(eml.extract),
    "epub": _binary(epub.extract),
    "html": _text(html.extract),
    "json": _records(json.records),
    "jsonl": _records(jsonl.records),
    "markdown": _text(markdown.extract),
    "mhtml": _binary(eml.extract_page),
    "odt": _binary(odt.extract),
    "pdf": _binary(pdf.extract),
    "pptx": _binary(pptx.extract),
    "rst": _text(rst.extract),
    "tsv": _records(partial(csv.records, "\t")),
    "txt": _text(plain.extract),
    "xlsx": _binary(xlsx.extract),
}
FORMATS = tuple(_READERS)
"""The names that `format` may have."""
SUFFIXES = {
    ".csv": "csv", ".docx": "docx", ".eml": "eml", ".epub": "epub", ".htm": "html", ".html": "html", ".json": "json",
    ".jsonl": "jsonl", ".markdown": "markdown", ".md": "markdown", ".mht": "mhtml", ".mhtml": "mhtml",
    ".ndjson": "jsonl", ".odt": "odt", ".pdf": "pdf", ".pptx": "pptx", ".rst": "rst", ".text": "txt", ".tsv": "tsv",
    ".txt": "txt", ".xlsx": "xlsx",
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


def reader_of(format: str, naming: Naming | None = None, options: ReadOptions | None = None) -> DocumentReader:
    """Make the reader of a format, for files named by `naming`."""
    return _READERS[format](naming, options or ReadOptions())
