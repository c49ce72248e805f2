"""The two kinds of readers, of files that are one document each and of files of records, and formats that use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import COMPRESSED, read_bytes, recode, source_of
from multihop.index.readers.naming import Naming, SourceNames
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.record import USUAL, FieldNames, to_document
from multihop.index.readers.validity import with_validity
from multihop.protocols import DocumentReader
from multihop.types import Document


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a file: its text, with headings as Markdown lines, and its metadata."""

    text: str
    title: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


def heading(text: str, level: int) -> str:
    """Write a heading as a Markdown line, by which documents are divided."""
    # Markdown has six levels, Word nine.
    return f"{'#' * max(1, min(6, level))} {' '.join(text.split())}"


Extract = Callable[[bytes, str], Content]
"""Makes content of the bytes of a file; the second argument is its name for error messages."""


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads a file as one document, known by the name that `naming` gives it; without a title it gets its file name."""

    extract: Extract
    naming: Naming | None = None
    encoding: str | None = None
    """The encoding of a text file; None for UTF-8, and for what is no text."""

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield the document, or the problem with it."""
        source, naming = source_of(path), self.naming or SourceNames().enter(path)
        try:
            data = read_bytes(path)
            content = self.extract(recode(data, self.encoding, source) if self.encoding else data, source)
            yield _one_document(content, path, naming)
        except InvalidRecord as problem:
            yield problem


def _one_document(content: Content, path: Path, naming: Naming) -> Document:
    """Make the document of a file."""
    name = naming.name(path)
    # Passages are linked to a document by its title, so it has one in any case.
    title = content.title.strip() or Path(bare_name(path)).stem
    about = {"metadata": with_validity(content.metadata, content.text, title), "aliases": content.aliases}
    record = {"id": name, "title": title, "text": content.text, **about}
    return to_document(record, source_of(path), None, lambda _: name, naming.ids.claim)


Parse = Callable[[Path, FieldNames, str | None], Iterator[tuple[int, object]]]
"""Gives the line and the value of every record of a file of some encoding, or an `InvalidRecord` for the value.

A file that holds no records, such as a table, is given as the `Content` of one document.
"""


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads one document per record; those that bring no id are named by `naming` and the line that they begin on."""

    parse: Parse
    naming: Naming | None = None
    fields: FieldNames = USUAL
    encoding: str | None = None

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield a document or a problem for every record."""
        source, naming = source_of(path), self.naming or SourceNames().enter(path)
        name, ids = naming.name(path), naming.ids
        for line, record in self.parse(path, self.fields, self.encoding):
            if isinstance(record, InvalidRecord):
                yield record
                continue
            try:
                if isinstance(record, Content):
                    yield _one_document(record, path, naming)
                    continue
                # Handed over as a function: most records bring an id, and then no name is to be taken.
                place = partial(ids.pick, f"{name}:{line}")
                yield to_document(record, source, line, place, ids.claim, self.fields)
            except InvalidRecord as problem:
                yield problem


def document_property(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield a property of a document as metadata: keywords one by one, dates as text, nothing for empty ones."""
    if isinstance(value, datetime):
        # As texts they compare in the order of time.
        yield "created", value.strftime("%Y-%m-%dT%H:%M:%S")
    elif name == "keywords" and isinstance(value, str):
        if keywords := tuple(part.strip() for part in re.split("[,;]", value) if part.strip()):
            yield name, keywords
    elif value is not None and (text := " ".join(str(value).split())):
        yield name, text


def document_properties(about: Any, author: str = "author") -> dict[str, object]:
    """Return the properties of an office document as metadata; `author` names that property."""
    names = {"author": author, **{name: name for name in ("subject", "keywords", "category", "created")}}
    properties = ((name, getattr(about, written)) for name, written in names.items())
    return dict(pair for name, value in properties for pair in document_property(name, value))


def bare_name(path: Path) -> str:
    """Return the name of a file without the suffix of its compression."""
    return path.name[: -len(path.suffix)] if path.suffix.lower() in COMPRESSED else path.name


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


def text_format(extract: Extract, suffixes: tuple[str, ...], *media_types: str, isolated: bool = False) -> Format:
    """Describe a format of text files, each of them one document."""

    def make(naming: Naming | None, options: ReadOptions) -> DocumentReader:
        return FileReader(extract, naming, options.encoding)

    return Format(make, suffixes, media_types, isolated=isolated)


def binary_format(extract: Extract, suffixes: tuple[str, ...], *media_types: str) -> Format:
    """Describe a format of binary files, each of them one document; its parser runs in a process of its own."""
    return Format(lambda naming, _: FileReader(extract, naming), suffixes, media_types, isolated=True)


def record_format(parse: Parse, suffixes: tuple[str, ...] = (), *media_types: str) -> Format:
    """Describe a format of files of records, each of which becomes a document."""

    def make(naming: Naming | None, options: ReadOptions) -> DocumentReader:
        fields = FieldNames.of(options.text_field, options.title_field, options.id_field)
        return RecordReader(parse, naming, fields, options.encoding)

    return Format(make, suffixes, media_types, records=True)


OFFICE = "application/vnd.openxmlformats-officedocument."
"""How the media types of Office documents begin."""
