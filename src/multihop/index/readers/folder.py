"""A file or a folder of files, read in the order of their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from multihop.errors import InvalidRecord, MissingExtra, UnknownName, cause
from multihop.index.readers.decoding import FREE_EXPANSION, MAX_EXPANSION, source_of
from multihop.index.readers.files import bare_name
from multihop.index.readers.formats import READERS, format_named, format_of, reader_of
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.naming import Naming, SourceNames, existing
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.sidecar import NAME, add_metadata, is_sidecar, metadata_of
from multihop.types import Document

# What an office program has open lies beside it as "~$name.docx".
_HIDDEN = (".", "~$")
_LINK = "is a link out of the folder; to read what it leads to, give that as a source of its own"
_CORPUS = frozenset({"corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst"})


def read(
    path: Path | str,
    *,
    format: str | None = None,
    names: SourceNames | None = None,
    options: ReadOptions | None = None,
) -> Iterator[Document | InvalidRecord]:
    """Read documents one at a time from a file, by its suffix, or from every file below a folder, each by its own.

    Hidden files are passed over, and links that lead out of the folder are problems, and a folder
    that links lead to twice is read once. Of a BEIR dataset only the
    corpus is read: its queries are not documents; nor is a metadata.csv that describes other files.

    A record that cannot be read is yielded as the `InvalidRecord` it would raise, and reading goes on after it. A path
    that does not exist or a format that is not known raises at once. Give several calls the same `names`, and no two
    of their documents get the same id. `options` say more on how to read: fields, encoding, format.
    """
    options = options or ReadOptions()
    format = format or options.format
    wanted = None if format is None else format_named(format)
    place = existing(path)
    if wanted is None and not place.is_dir():
        wanted = format_of(place)
    naming = (SourceNames() if names is None else names).enter(place)
    return _documents(place, replace(options, format=wanted), naming)


def _documents(place: Path, options: ReadOptions, naming: Naming) -> Iterator[Document | InvalidRecord]:
    with ReadingProcess() as process:
        if not place.is_dir():
            yield from read_file(place, options, naming, process)
            return
        for file in walk(place):
            if isinstance(file, InvalidRecord):
                yield file
            else:
                yield from read_file(place / file[0], options, naming, process)


def read_file(
    file: Path, options: ReadOptions, naming: Naming, process: ReadingProcess
) -> Iterator[Document | InvalidRecord]:
    """Read one file, by its suffix unless a format is given; what a metadata.csv says of it is added.

    A suffix that is not known, or a library that is not installed, is a problem of this file, not of the others.
    """
    # Once for all records: a file of a million lines would look for tables a million times.
    said = metadata_of(naming.place_of(file), naming.root)
    for record in _records(file, options, naming, process):
        yield add_metadata(record, said)


def _records(
    file: Path, options: ReadOptions, naming: Naming, process: ReadingProcess
) -> Iterator[Document | InvalidRecord]:
    source = source_of(file)
    try:
        format = format_named(options.format) if options.format else format_of(file)
    except UnknownName as error:
        yield unknown_format(error, file)
        return
    # Asked before anything is read: two sources that overlap would give every document twice.
    if not naming.is_new(file):
        yield InvalidRecord("was read already, as part of another source", source=source)
        return
    try:
        if not READERS[format].isolated:
            yield from reader_of(format, naming, options).read(file)
            return
        for record in process.read(file, format, naming.name(file), options):
            yield _claim_id(record, naming, source) if isinstance(record, Document) else record
    except MissingExtra as error:
        problem = InvalidRecord(str(error), source=source)
        problem.__cause__ = error
        yield problem


def unknown_format(error: UnknownName, file: Path) -> InvalidRecord:
    """Return the problem of a file whose format is not known, with the error as its cause."""
    # The message names the file already, and the problem will name it again.
    problem = InvalidRecord(str(error).removeprefix(f"{source_of(file)}: "), source=source_of(file))
    problem.__cause__ = error
    return problem


def _claim_id(document: Document, naming: Naming, source: str) -> Document | InvalidRecord:
    """Claim the id of a document read by another process, which does not know the ids of other files."""
    try:
        naming.ids.claim(document.id)
    except InvalidRecord as problem:
        return InvalidRecord(problem.problem, source=source)
    return document


def walk(folder: Path) -> Iterator[tuple[str, os.stat_result] | InvalidRecord]:
    """Yield every file below a folder in name order, with its relative path and its `stat`.

    A link that leads out of the folder is a problem: whoever may add a file could have any other file read.
    """
    seen: set[tuple[int, int]] = set()
    root = os.path.realpath(folder)
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        # Not with pathlib, which would take most of the time of looking at ten thousand files.
        place = os.path.join(folder, inner)  # noqa: PTH118
        try:
            status = os.lstat(place)
            if stat.S_ISLNK(status.st_mode):
                if not _is_below(os.path.realpath(place), root):
                    yield InvalidRecord(_LINK, source=source_of(Path(place)))
                    continue
                status = os.stat(place)  # noqa: PTH116
            if stat.S_ISDIR(status.st_mode):
                # By what the system calls it, not by its path: links may lead in a circle.
                if (identity := (status.st_dev, status.st_ino)) not in seen:
                    seen.add(identity)
                    # The last one is taken first, so the names go in backwards.
                    waiting.extend(f"{inner}/{name}" if inner else name for name in reversed(_entries(place)))
            elif not stat.S_ISREG(status.st_mode):
                yield InvalidRecord("is not a regular file", source=source_of(Path(place)))
            elif _is_sparse(status):
                said = f"is sparse: it takes {status.st_blocks * 512} of its {status.st_size} bytes on disk"
                yield InvalidRecord(said, source=source_of(Path(place)))
            else:
                yield inner, status
        except OSError as error:
            yield InvalidRecord(f"cannot be read: {cause(error)}", source=source_of(Path(place)))


def _is_below(place: str, root: str) -> bool:
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def _is_sparse(status: os.stat_result) -> bool:
    """Return whether a file is sparse, as opposed to compressed by the file system."""
    # Windows does not say how much room a file takes.
    taken = getattr(status, "st_blocks", status.st_size) * 512
    return status.st_size > max(FREE_EXPANSION, MAX_EXPANSION * taken)


def _entries(folder: str) -> list[str]:
    entries = sorted(name for name in os.listdir(folder) if not name.startswith(_HIDDEN))  # noqa: PTH208
    corpus = [name for name in entries if bare_name(Path(name)) == "corpus.jsonl"] if _CORPUS & set(entries) else []
    if NAME in entries and is_sidecar(Path(folder, NAME)):
        entries.remove(NAME)
    # A corpus.jsonl alone may be a file like others; beside queries or judgments it is a dataset.
    is_dataset = corpus and any(name == "qrels" or bare_name(Path(name)) == "queries.jsonl" for name in entries)
    return corpus if is_dataset else entries
