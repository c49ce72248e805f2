"""Rows of question files with file and line, for error messages."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord
from multihop.index.readers import decoding
from multihop.index.readers.decoding import MAX_RECORD, source_of
from multihop.index.readers.files import bare_name
from multihop.index.readers.json import JsonRecords
from multihop.index.readers.jsonl import records

_CUT = "; the file seems to be cut off: download or copy it again"


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file."""

    fields: Mapping[str, Any]
    source: str
    line: int

    def wrong(self, problem: str) -> InvalidRecord:
        """Make the error that names this row."""
        return InvalidRecord(problem, source=self.source, line=self.line)

    def text(self, *names: str, needed: bool = True) -> str:
        """Return the first of the named fields that holds something, as text."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip()
            if value is not None and not isinstance(value, str | int | float):
                raise self.wrong(f"the field {name!r} must be a text, not {type(value).__name__}")
        if not needed:
            return ""
        present = [name for name in names if name in self.fields]
        if present:
            raise self.wrong(f"the field {present[0]!r} is empty")
        raise self.wrong(f"there is no field {' or '.join(map(repr, names))}; present: {', '.join(self.fields)}")

    def items(self, name: str) -> list[Any]:
        """Return the list under a name; an absent one is empty."""
        value = self.fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(f"the field {name!r} must be a list, not {type(value).__name__}")
        return value

    def first_text(self, name: str) -> str:
        """Return an optional field as text, the first item of a list; empty if it is not text."""
        value = self.fields.get(name)
        first = value[0] if isinstance(value, list) and value else value
        return str(first) if isinstance(first, str | int | float) else ""

    def whole_number(self, *names: str) -> int | None:
        """Return the first of the named fields that holds a number, "2" and "2 hops" included."""
        for name in names:
            digits = str(self.fields.get(name) or "").strip().split(" ")[0]
            if digits.isdecimal():
                return int(digits)
        return None


def rows(path: Path) -> Iterator[Row]:
    """Read the records of a .json or .jsonl file, compressed or not, one at a time; the first bad one raises."""
    source = source_of(path)
    stream = _read_list(path, source) if bare_name(path).lower().endswith(".json") else records(path, if_cut=_CUT)
    for line, value in stream:
        if isinstance(value, InvalidRecord):
            raise value
        if not isinstance(value, dict):
            raise InvalidRecord(f"a row must be an object, not {type(value).__name__}", source=source, line=line)
        yield Row(value, source, line)


def table(path: Path, **format: Any) -> Iterator[Row]:
    """Read the records of a table with a header, in a format as `csv.reader` takes it; the first bad one raises."""
    # The default of 128 kB is for the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    source, line = source_of(path), 1
    try:
        with decoding.open_file(path) as file, decoding.text_of(file) as text:
            reader = csv.reader(text, **format)
            header = next(reader, [])
            # Cells may hold line breaks: the line of a row is where the reader stood before it.
            while (line := reader.line_num + 1) and (cells := next(reader, None)) is not None:
                if len(cells) != len(header):
                    problem = f"the row has {len(cells)} cells, the header {len(header)}"
                    raise InvalidRecord(problem, source=source, line=line)
                yield Row(dict(zip(header, cells, strict=True)), source, line)
    except csv.Error as error:
        raise InvalidRecord(f"is not a valid row: {error}", source=source, line=line) from error


def _read_list(path: Path, source: str) -> Iterator[tuple[int, object]]:
    try:
        with decoding.open_file(path) as file, decoding.text_of(file) as text:
            buffer = JsonRecords(text, source)
            for line, value in buffer.records():
                # An error at the very end of the text is nearly always a download that broke off.
                if isinstance(value, InvalidRecord) and buffer.at >= len(buffer.text):
                    yield line, InvalidRecord(value.problem + _CUT, source=source, line=line)
                else:
                    yield line, value
    except UnicodeDecodeError as error:
        raise InvalidRecord(f"is not {error.encoding.upper()} text; save the file as UTF-8", source=source) from error
