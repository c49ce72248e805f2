"""A file or a folder of files, read in the order of their names."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord, MissingExtra, UnknownName
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import bare_name
from multihop.index.readers.formats import format_named, format_of, reader_of
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.naming import Naming, SourceNames
from multihop.types import Document

ISOLATED = frozenset({"docx", "pdf"})
"""Formats whose parsers cannot be bounded from within; they are read in a process of their own."""
_HIDDEN = (".", "~$")


def read(
    path: Path | str, *, format: str | None = None, names: SourceNames | None = None
) -> Iterator[Document | InvalidRecord]:
    """Read documents one at a time from a file, by its suffix, or from every file of a folder.

    A record that cannot be read is yielded as the `InvalidRecord` it would raise, and reading goes on after it. A path
    that does not exist or a format that is not known raises at once. Give several calls the same `names`, and no two
    of their documents get the same id.
    """
    place = Path(path)
    wanted = None if format is None else format_named(format)
    try:
        is_folder, exists = place.is_dir(), place.exists()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot look for {source_of(place)!r}: {error}") from error
    if not exists or not str(path):
        raise InvalidInput(f"no such file or folder: {source_of(place) if str(path) else repr('')}")
    if not is_folder and wanted is None:
        wanted = format_of(place)
    naming = (SourceNames() if names is None else names).enter(place)
    return FolderReader(wanted, naming).read(place) if is_folder else _read_alone(place, wanted or "", naming)


@dataclass(frozen=True, slots=True)
class FolderReader:
    """Reads every file below a folder, each by its suffix unless a format is given.

    Hidden files are passed over, and a folder that links lead to twice is read once. Of a BEIR dataset only the
    corpus is read: its queries are not documents.
    """

    format: str | None = None
    naming: Naming | None = None

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield the documents of all files, and a problem for every file that cannot be read."""
        naming = self.naming or SourceNames().enter(path)
        with ReadingProcess() as process:
            for file in _files(path):
                if isinstance(file, InvalidRecord):
                    yield file
                    continue
                try:
                    format = self.format or format_of(file)
                except UnknownName as error:
                    problem = str(error).removeprefix(f"{source_of(file)}: ")
                    yield InvalidRecord(problem, source=source_of(file))
                else:
                    yield from _read_file(file, format, naming, process)


def _read_alone(file: Path, format: str, naming: Naming) -> Iterator[Document | InvalidRecord]:
    with ReadingProcess() as process:
        yield from _read_file(file, format, naming, process)


def _read_file(file: Path, format: str, naming: Naming, process: ReadingProcess) -> Iterator[Document | InvalidRecord]:
    """Read one file; one that needs a library which is not installed is a problem of this file, not of the others."""
    source = source_of(file)
    if not naming.is_new(file):
        yield InvalidRecord("was read already, as part of another source", source=source)
        return
    try:
        if format not in ISOLATED:
            yield from reader_of(format, naming).read(file)
            return
        for record in process.read(file, format, naming.name(file)):
            yield _claimed(record, naming, source) if isinstance(record, Document) else record
    except MissingExtra as error:
        yield InvalidRecord(str(error), source=source)


def _claimed(document: Document, naming: Naming, source: str) -> Document | InvalidRecord:
    """Take the id of a document that another process has read, and that does not know the ids of the other files."""
    try:
        naming.ids.claim(document.id)
    except InvalidRecord as problem:
        return InvalidRecord(problem.problem, source=source)
    return document


def _files(folder: Path) -> Iterator[Path | InvalidRecord]:
    seen: set[tuple[int, int]] = set()
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                if (identity := (status.st_dev, status.st_ino)) not in seen:
                    seen.add(identity)
                    waiting.extend(reversed(_entries(path)))
            elif stat.S_ISREG(status.st_mode):
                yield path
            else:
                yield InvalidRecord("is not a regular file", source=source_of(path))
        except OSError as error:
            yield InvalidRecord(f"cannot be read: {error.strerror or error}", source=source_of(path))


def _entries(folder: Path) -> list[Path]:
    entries = sorted((p for p in folder.iterdir() if not p.name.startswith(_HIDDEN)), key=lambda p: p.name)
    corpus = [p for p in entries if bare_name(p) == "corpus.jsonl"]
    is_dataset = any(p.name == "qrels" or bare_name(p) == "queries.jsonl" for p in entries)
    return corpus if corpus and is_dataset else entries
