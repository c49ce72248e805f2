"""CSV and TSV with a header row: the fields of `record`, metadata in the other columns. Holds few rows in memory.

A file whose header names no column of texts is a table, read as one document. So is one whose column "body" or
"content" holds a few words a row and that has neither titles nor ids, such as a list of members by governing body.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import MAX_RECORD, lines, source_of
from multihop.index.readers.files import Content, record_format
from multihop.index.readers.jsonl import DECODER
from multihop.index.readers.record import FIELDS, TEXT_FIELDS, FieldNames, parse_cell
from multihop.index.readers.tables import are_names, named_row

_Rows = Iterator[tuple[int, list[str] | InvalidRecord]]
_EVERYDAY = frozenset(("body", "content", "contents"))
"""Names of a column of texts that may also name something else."""
_SEEN, _FEW_WORDS = 20, 5
"""Rows that tell a table from texts, and the words of a cell that is no text."""


def records(delimiter: str, path: Path, fields: FieldNames, encoding: str | None) -> Iterator[tuple[int, object]]:
    """Yield the line and the record of every row that is not blank, or a problem in the place of the record.

    Empty cells have no value; several aliases are separated by "|". A table without a column of texts is one document,
    a line for each row.
    """
    # The limit is one for the whole process: it is only ever raised, since others may need it higher.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    source = source_of(path)
    rows = _rows(_Lines(path, encoding), source, delimiter)
    line, header = next(rows, (1, []))
    if isinstance(header, InvalidRecord):
        yield line, header
        return
    columns = [_column(cell, fields) for cell in header]
    first = list(islice(rows, _SEEN))
    rows = chain(first, rows)
    if _is_table(columns, fields, [row for _, row in first if not isinstance(row, InvalidRecord)]):
        yield line, _table([cell.strip() for cell in header], rows, source)
        return
    if wrong := _wrong_header(columns, fields.text):
        yield line, InvalidRecord(wrong, source=source, line=line)
        return
    for line, row in rows:
        if isinstance(row, InvalidRecord):
            yield line, row
        elif len(row) != len(columns):
            problem = f"the row has {len(row)} cells, the header {len(columns)}"
            yield line, InvalidRecord(problem, source=source, line=line)
        else:
            cells = zip(columns, row, strict=True)
            yield line, {name: _cell(name, cell, fields.special) for name, cell in cells if name and cell.strip()}


def _is_table(columns: list[str], fields: FieldNames, first: list[list[str]]) -> bool:
    """Return whether a file is a table, not a list of records: its header names columns, none of them holds texts."""
    if fields.text != TEXT_FIELDS or not are_names(columns):
        return False
    texts = [place for place, name in enumerate(columns) if name in fields.text]
    if not all(columns[place] in _EVERYDAY for place in texts) or not {*fields.id, *fields.title}.isdisjoint(columns):
        return not texts
    return bool(first or not texts) and not any(
        len(cell.split()) > _FEW_WORDS for row in first for place, cell in enumerate(row) if place in texts
    )


def _table(header: list[str], rows: _Rows, source: str) -> Content | InvalidRecord:
    lines: list[str] = []
    length = 0
    for line, row in rows:
        if isinstance(row, InvalidRecord):
            return row
        lines.append(named_row(header, [" ".join(cell.split()) for cell in row]))
        length += len(lines[-1])
        if length > MAX_RECORD:
            return InvalidRecord(f"the table has more than {MAX_RECORD} characters", source=source, line=line)
    return Content("\n".join(filter(None, lines)))


# Not a generator: one that has raised is at its end, and the rows after a bad line would be lost.
class _Lines:
    """The lines of a file for `csv`; an undecodable line raises, and the next can still be read."""

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


def _rows(text: _Lines, source: str, delimiter: str) -> _Rows:
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
        # A quote that is never closed runs on to the end of the file; `strict` makes that an error, not a giant cell.
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
    # A user's own --text-field keeps its capitals; of the usual names "Title" and "TEXT" are understood too.
    return name if name in fields.special or name.lower() not in FIELDS else name.lower()


def _wrong_header(columns: list[str], text: tuple[str, ...]) -> str | None:
    needed = f"{', '.join(text[:-1])} or {text[-1]}" if text[1:] else text[0]
    shown = ", ".join(repr(c) for c in columns[:8]) or "nothing"
    if not any(c in text for c in columns):
        return f"the first row must be a header with a column {needed}, not {shown}"
    if len(set(columns)) < len(columns):
        return f"the header has duplicate columns: {shown}"
    return None


def _cell(name: str, cell: str, special: frozenset[str]) -> object:
    if name == "aliases":
        return cell.split("|")
    if name == "metadata":
        try:
            return DECODER.decode(cell)
        except (ValueError, RecursionError):
            return cell  # some other column of that name
    return cell if name in special else parse_cell(cell.strip())


CSV = record_format(partial(records, ","), (".csv",), "text/csv")
TSV = record_format(partial(records, "\t"), (".tsv",))
