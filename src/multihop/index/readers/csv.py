"""CSV and TSV with a header row: the fields of `record`, metadata in the other columns. Holds one row in memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import MAX_RECORD, lines, source_of
from multihop.index.readers.jsonl import DECODER
from multihop.index.readers.naming import Naming, SourceNames
from multihop.index.readers.record import FIELDS, USUAL, FieldNames, to_document, typed
from multihop.types import Document


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Reads one document per row. Empty cells have no value; several aliases are separated by "|"."""

    delimiter: str = ","
    naming: Naming | None = None
    fields: FieldNames = USUAL
    encoding: str | None = None

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield a document or a problem for every row that is not blank."""
        csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
        source, naming = source_of(path), self.naming or SourceNames().enter(path)
        name, ids = naming.name(path), naming.ids
        rows = _rows(_Lines(path, self.encoding), source, self.delimiter)
        line, header = next(rows, (1, []))
        if isinstance(header, InvalidRecord):
            yield header
            return
        columns = [_column(cell, self.fields) for cell in header]
        if wrong := _wrong_header(columns, self.fields.text):
            yield InvalidRecord(wrong, source=source, line=line)
            return
        for line, row in rows:
            if isinstance(row, InvalidRecord):
                yield row
                continue
            try:
                record = _record(columns, row, self.fields.special)
                place = partial(ids.pick, f"{name}:{line}")
                yield to_document(record, source, line, place, ids.claim, self.fields)
            except InvalidRecord as problem:
                yield InvalidRecord(problem.problem, source=source, line=line)


class _Lines:
    """The lines of a file as `csv` wants them; one that is not text raises, and the next can still be asked for."""

    def __init__(self, path: Path, encoding: str | None) -> None:
        self._lines = lines(path, encoding)
        self.number = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if isinstance(line, InvalidRecord):
            raise line
        return line


def _rows(text: _Lines, source: str, delimiter: str) -> Iterator[tuple[int, list[str] | InvalidRecord]]:
    reader = None
    while True:
        first = text.number + 1
        try:
            if reader is None:
                row, reader = _header(text, delimiter)
            else:
                row = next(reader)
        except StopIteration:
            return
        except InvalidRecord as problem:
            yield first, problem
        except csv.Error as error:
            reason = "a quoted field is never closed" if "end of data" in str(error) else str(error)
            yield first, InvalidRecord(f"is not a valid row: {reason}", source=source, line=first)
        else:
            if row:
                yield first, row


def _header(text: _Lines, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    # Spreadsheets of half the world write semicolons; the header, which holds no prose, shows it.
    line = next(text)
    separator = ";" if delimiter == "," and "," not in line and ";" in line else delimiter
    row = next(csv.reader([line], delimiter=separator, strict=True), [])
    return row, csv.reader(text, delimiter=separator, strict=True)


def _column(cell: str, fields: FieldNames) -> str:
    name = cell.strip()
    return name if name in fields.special or name.lower() not in FIELDS else name.lower()


def _wrong_header(columns: list[str], text: tuple[str, ...]) -> str | None:
    needed = f"{', '.join(text[:-1])} or {text[-1]}" if text[1:] else text[0]
    shown = ", ".join(repr(c) for c in columns[:8]) or "nothing"
    if not any(c in text for c in columns):
        return f"the first row must be a header with a column {needed}, not {shown}"
    if len(set(columns)) < len(columns):
        return f"the header has duplicate columns: {shown}"
    return None


def _record(columns: list[str], row: list[str], special: frozenset[str]) -> dict[str, object]:
    if len(row) != len(columns):
        raise InvalidRecord(f"the row has {len(row)} cells, the header {len(columns)}")
    return {name: _cell(name, cell, special) for name, cell in zip(columns, row, strict=True) if name and cell.strip()}


def _cell(name: str, cell: str, special: frozenset[str]) -> object:
    if name == "aliases":
        return cell.split("|")
    if name == "metadata":
        try:
            return DECODER.decode(cell)
        except (ValueError, RecursionError):
            return cell  # some other column of that name
    return cell if name in special else typed(cell.strip())
