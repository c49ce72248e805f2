"""Adding files and long lists of documents to an index, as a job."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord, UnknownName
from multihop.index.readers.formats import format_named, format_of, suffixes
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.options import ReadOptions
from multihop.protocols import Progress
from multihop.server.indexes import Indexes
from multihop.server.jobs import MAX_REPORTED, Job, Work, read_request, write_request
from multihop.server.problems import Problem
from multihop.types import Document, plain

KIND = "upload"
_LONGEST_NAME = 120
# Control characters, line separators, lone surrogates, and characters that Windows does not allow in names.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff<>:"/\\|?*]')
# These cannot clash with client files, which lose leading dots (`safe_name`).
_FORMAT = ".format"
_READ = ".read"
_ONLY_NEW = ".only-new"
_METADATA = ".metadata"
_OPTIONS = ".options"
_NOTES = (_FORMAT, _READ, _ONLY_NEW, _METADATA, _OPTIONS)
"""Files of a job besides the uploaded one."""


def safe_name(given: str) -> str:
    """Sanitize a client's file name: no folders, not hidden, valid on every file system."""
    name = _UNSAFE.sub("_", given.replace("\\", "/").rsplit("/", 1)[-1]).strip(". ")
    if not name:
        raise Problem(422, "the uploaded file has no name")
    # In bytes, as file systems count. Keep the suffix, which selects the reader.
    while len(name.encode()) > _LONGEST_NAME:
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem[:-1]}.{suffix}" if dot and len(stem) > 1 else name[1:]
    return name


def check_format(name: str, format: str | None) -> None:
    """Raise for an unsupported format before a job is created."""
    try:
        if format:
            format_named(format)
        else:
            format_of(Path(name))
    except UnknownName as error:
        if format:
            raise Problem(415, str(error)) from None
        known = ", ".join(sorted({suffix.removeprefix(".") for suffix in suffixes()}))
        raise Problem(415, f"files such as {name[-40:]!r} cannot be read; known are {known}") from None


def parse_metadata(given: str) -> dict[str, Any]:
    """Parse the metadata of an upload: a JSON object of strings, numbers, booleans and lists of them."""
    try:
        metadata = json.loads(given)
    # Deep nesting raises RecursionError.
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict) or not all(map(_is_value, metadata.values())):
        raise Problem(
            422,
            'metadata must be a JSON object of texts, numbers, booleans or lists of them, such as {"country": "Chile"}',
        )
    return metadata


def _is_value(value: object) -> bool:
    return all(isinstance(each, str | int | float) for each in (value if isinstance(value, list) else [value]))


def write_notes(
    place: Path, format: str | None, options: ReadOptions, metadata: Mapping[str, Any], replaces: bool
) -> None:
    """Store how to read the uploaded file and whether its documents replace existing ones."""
    write_request(place, options.to_json(), _OPTIONS)
    write_request(place, metadata, _METADATA)
    if format:
        (place / _FORMAT).write_text(format, encoding="utf-8")
    if not replaces:
        (place / _ONLY_NEW).touch()


def upload_work(indexes: Indexes) -> Work:
    """Return the function that runs an upload job: reads the file, adds its documents, reports problems."""

    def work(job: Job, place: Path, progress: Progress) -> Mapping[str, Any]:
        [file] = [f for f in place.iterdir() if f.name not in _NOTES]
        noted = place / _FORMAT
        format = format_named(noted.read_text(encoding="utf-8")) if noted.exists() else format_of(file)
        given = read_request(place, _METADATA)
        metadata = {field: tuple(value) if isinstance(value, list) else value for field, value in given.items()}
        options = ReadOptions(**read_request(place, _OPTIONS))
        problems: list[str] = []
        skipped = number = 0

        def records() -> Iterator[Document | InvalidRecord]:
            nonlocal number
            # Untrusted files are read in a separate process with limits, which can be stopped.
            with ReadingProcess(check=lambda: progress("reading", number, None)) as process:
                for record in process.read(file, format, options=options):
                    number += 1
                    if metadata and isinstance(record, Document):
                        # Metadata of the document takes precedence.
                        record = replace(record, metadata={**metadata, **record.metadata})
                    yield record

        # Read first, without the write lock: reading may take long, and others can write meanwhile.
        with (place / _READ).open("wb") as out:
            for record in records():
                pickle.dump(record, out)

        def skip(problem: InvalidRecord) -> None:
            nonlocal skipped
            skipped += 1
            if len(problems) < MAX_REPORTED:
                place_in_file = file.name if problem.line is None else f"{file.name}:{problem.line}"
                problems.append(f"{place_in_file}: {problem.problem}")

        replaces = not (place / _ONLY_NEW).exists()
        with indexes.get(job.index).writing() as engine:
            added = engine.add(_unpickle(place / _READ), replace=replaces, progress=progress, on_problem=skip)
        if skipped and not added.documents:
            raise Problem(422, f"nothing in the file was added: {problems[0]}")
        return plain(added) | {"skipped": skipped, "problems": problems}  # type: ignore[no-any-return]

    return work


def _unpickle(place: Path) -> Iterator[Document | InvalidRecord]:
    with place.open("rb") as records, suppress(EOFError):
        while True:
            yield pickle.load(records)  # noqa: S301  # written by this very job
