"""A file or a folder of files, read in the order of their names."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import bare_name
from multihop.index.readers.formats import format_named, format_of, reader_of
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.record import FreshIds
from multihop.types import Document

ISOLATED = frozenset({"docx", "pdf"})
"""Formats whose parsers cannot be bounded from within; they are read in a process of their own."""
_HIDDEN = (".", "~$")


def read(path: Path | str, *, format: str | None = None) -> Iterator[Document | InvalidRecord]:
    """Read documents one at a time from a file, by its suffix, or from every file of a folder.

    A record that cannot be read is yielded as the `InvalidRecord` it would raise, and reading goes on after it. A path
    that does not exist or a format that is not known raises at once.
    """
    place = Path(path)
    wanted = None if format is None else format_named(format)
    try:
        is_folder, exists = place.is_dir(), place.exists()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot look for {source_of(place)!r}: {error}") from error
    if not exists or not str(path):
        raise InvalidInput(f"no such file or folder: {source_of(place) if str(path) else repr('')}")
    if is_folder:
        return FolderReader(wanted).read(place)
    found = wanted or format_of(place)
    return _isolated(place, found) if found in ISOLATED else reader_of(found, None, FreshIds()).read(place)


def _isolated(path: Path, format: str) -> Iterator[Document | InvalidRecord]:
    with ReadingProcess() as process:
        yield from process.read(path, format)


@dataclass(frozen=True, slots=True)
class FolderReader:
    """Reads every file below a folder, each by its suffix unless a format is given.

    Hidden files are passed over, and a folder that links lead to twice is read once. Of a BEIR dataset only the
    corpus is read: its queries are not documents.
    """

    format: str | None = None

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield the documents of all files, and a problem for every file that cannot be read."""
        ids = FreshIds()
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
                    continue
                if format in ISOLATED:
                    yield from process.read(file, format, path)
                else:
                    yield from reader_of(format, path, ids).read(file)


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
