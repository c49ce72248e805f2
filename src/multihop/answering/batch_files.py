"""The files of a batch: rows of questions or claims from CSV, Excel or JSON Lines, and results in the same formats.

A table keeps its own columns, and the result columns follow. Separator and encoding of a CSV file are detected.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from multihop.errors import InvalidInput, needs_extra
from multihop.index.readers.decoding import encoding_of
from multihop.rendering.csv import csv_line, escape_formula, unescape_formula
from multihop.rendering.files import write_atomically
from multihop.rendering.xlsx import workbook

COLUMNS = ("question", "claim", "query", "text")
"""Names of the question column; the first one that a file has counts. For verdicts, the claim comes first."""
FORMATS = (".csv", ".tsv", ".xlsx", ".jsonl")
RESULT_COLUMNS = ("row", "answer", "confidence", "parts", "sentence", "file", "page", "passages", "notes", "error")
"""The result columns, which follow those of the table."""
_TOO_LONG = 10**15
"""From here on a workbook would change the digits of a number."""
_SEPARATORS = ",;\t|"
_CUT = "quote any text that contains the separator"


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A row of the input: its number (from 1), its question, what is wrong with it, and its columns."""

    number: int
    text: str
    problem: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)


def read_rows(path: Path, *, first: str = COLUMNS[0]) -> list[BatchRow]:
    """Read the rows of a file; raises if it has none, or no question column. `first` is preferred of several."""
    columns = tuple(dict.fromkeys((first, *COLUMNS)))
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInput(f"a batch is a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file, got {path.name!r}")
    data = path.read_bytes()
    if suffix == ".jsonl":
        lines = (line for line in _decode(data).splitlines() if line.strip())
        rows = [_row_of_line(number, line, columns) for number, line in enumerate(lines, 1)]
    else:
        rows = _rows_of_table(_cells(data) if suffix == ".xlsx" else csv_records(data), path, columns)
    if not rows:
        raise InvalidInput(f"{path} has no rows; give one question a row")
    return rows


def _decode(data: bytes) -> str:
    """Decode by the byte order mark, as UTF-8, or else as Windows-1252."""
    mark, encoding = encoding_of(data)
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        # Excel on Windows still saves CSV in this encoding.
        return data.decode("cp1252", "replace")


def csv_records(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a CSV file with their line numbers; encoding and separator are detected."""
    content = _decode(data)
    first = content.split("\n", 1)[0]
    # The header holds names only, so the most frequent of these characters in it is the separator.
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(StringIO(content, newline=""), delimiter=separator)
    lines = content.splitlines()
    line = 1
    try:
        for record in reader:
            # A quotation mark that is never closed takes in all the rest of the file.
            if reader.line_num >= len(lines) and _is_open("\n".join(lines[line - 1 :]), separator):
                raise InvalidInput(f'line {line}: a quotation mark is not closed; within a text, write it twice ("")')
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(f"line {line} is not CSV: {error}") from error


def _is_open(record: str, separator: str) -> bool:
    """Return whether a cell of a record begins with a quotation mark that is not closed."""
    within, at_start = False, True
    for character in record:
        if character == '"' and (within or at_start):
            # Two of them within a cell stand for one; the second opens it again.
            within = not within
        at_start = not within and character in (separator, "\n", '"')
    return within


def _cells(data: bytes) -> Iterator[tuple[int, list[Any]]]:
    with needs_extra("Reading XLSX files", "files"):
        import openpyxl
    try:
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
    # Not a ZIP file, or one without the parts of a workbook.
    except (BadZipFile, KeyError, ValueError) as error:
        raise InvalidInput(f"the workbook cannot be read: {error}") from error
    sheet = book.worksheets[0]
    sheet.reset_dimensions()
    for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(cell is not None for cell in cells):
            yield line, ["" if cell is None else cell for cell in cells]


def _rows_of_table(records: Iterator[tuple[int, list[Any]]], path: Path, columns: Sequence[str]) -> list[BatchRow]:
    _, header = next(records, (1, []))
    if not header:
        raise InvalidInput(f"{path} is empty; give a header and one question a row")
    names = [str(name).strip() for name in header]
    # In many sheets, empty formatted cells follow the last column.
    while names and not names[-1]:
        names.pop()
    # Two columns of one name could not be told apart in the output.
    if twice := next((name for number, name in enumerate(names) if name and name in names[:number]), ""):
        raise InvalidInput(f"{path} has two columns named {twice!r}; rename one of them")
    names = [name or f"column {number}" for number, name in enumerate(names, 1)]
    lower = [name.lower() for name in names]
    place = next((lower.index(c) for c in columns if c in lower), None)
    if place is None:
        raise InvalidInput(
            f"{path} has the columns {', '.join(names) or 'none'}; one of {', '.join(COLUMNS)} is needed"
        )
    return [_row_of_record(n, line, names, place, cells) for n, (line, cells) in enumerate(records, 1)]


def _row_of_record(number: int, line: int, names: Sequence[str], place: int, cells: Sequence[Any]) -> BatchRow:
    given = dict(zip(names, [*cells, *[""] * len(names)], strict=False))
    text = str(cells[place]).strip() if place < len(cells) else ""
    following = cells[place + 1 : place + 2]
    if len(cells) > len(names) and any(str(cell).strip() for cell in cells[len(names) :]):
        problem = f"line {line} has {len(cells)} cells, but the header has {len(names)}; {_CUT}"
    # An unquoted "The Fram sank, and rose" is split at its comma, so the next cell begins with a blank.
    elif following and str(following[0])[:1] == " ":
        problem = f"line {line}: the cell after {names[place]!r} begins with a blank; {_CUT}"
    else:
        problem = "" if text else f"{names[place].lower()} is empty"
    return BatchRow(number, text, problem, given)


def _row_of_line(number: int, line: str, columns: Sequence[str]) -> BatchRow:
    try:
        record = json.loads(line)
    # JSON that is nested too deeply raises RecursionError.
    except (ValueError, RecursionError):
        return BatchRow(number, "", "this line is not valid JSON")
    record = {"question": record} if isinstance(record, str) else record
    if not isinstance(record, dict):
        return BatchRow(number, "", "this line is not a JSON object")
    column = next((c for c in columns if isinstance(record.get(c), str)), None)
    if column is None:
        return BatchRow(number, "", f"this line has none of the fields {', '.join(COLUMNS)}", record)
    text = record[column].strip()
    return BatchRow(number, text, "" if text else f"{column} is empty", record)


# --- results ----------------------------------------------------------------------------------------


class BatchFile:
    """The output file of a batch: one line for each finished row, in the order of the input.

    Finished rows stay in the file when a run is interrupted. A workbook can only be written as a whole, so its rows are
    collected in a CSV file beside it until the run is over.
    """

    def __init__(self, out: Path, rows: Sequence[BatchRow]) -> None:
        if out.suffix.lower() not in FORMATS:
            raise InvalidInput(f"cannot infer the format from {out.name!r}; use {', '.join(FORMATS)}")
        if not out.parent.is_dir():
            raise InvalidInput(f"there is no folder {str(out.parent)!r} for the output; create it first")
        self._out, self._suffix = out, out.suffix.lower()
        self._rows = {row.number: row for row in rows}
        self._waiting = out.with_name(f"{out.name}.part.csv") if self._suffix == ".xlsx" else out
        own = list(dict.fromkeys(name for row in rows for name in row.given))
        # The input may have a column of the same name.
        self._header = [*own, *(f"multihop {name}" if name in own else name for name in RESULT_COLUMNS)]
        self._header_cells = [escape_formula(name) for name in self._header]
        self._own = len(own)
        self._delimiter = "\t" if self._suffix == ".tsv" else ","
        self.finished = self._read_finished()
        """Lines of earlier runs by row number, except for rows that failed or have changed."""
        held = self._waiting if self._waiting.exists() else out
        self.written = held.stat().st_mtime if held.exists() else 0.0
        """When the file was last written, in seconds since 1970."""

    def begin(self) -> None:
        """Atomically rewrite the file with the lines that are kept, so that no finished row is lost."""
        head = [] if self._suffix == ".jsonl" else [self._line(self._header)]
        write_atomically(self._waiting, "".join([*head, *self.finished.values()]))

    def write(self, row: BatchRow, record: Mapping[str, Any]) -> None:
        """Add a finished row."""
        if self._suffix == ".jsonl":
            line = json.dumps({"row": row.number, "given": row.given, **record}, ensure_ascii=False, default=str) + "\n"
        else:
            line = self._line(self._values(row, record))
        with self._waiting.open("a", encoding="utf-8", newline="") as file:
            file.write(line)

    def end(self) -> None:
        """Sort the rows, and write the workbook if that is the format."""
        finished = sorted(self._lines(), key=lambda row: row[0])
        lines = [line for _, _, _, line in finished]
        if self._suffix != ".xlsx":
            head = [] if self._suffix == ".jsonl" else [self._line(self._header)]
            write_atomically(self._out, "".join([*head, *lines]))
            return
        numbers = [self._own + RESULT_COLUMNS.index(name) for name in ("row", "confidence", "page")]
        rows: list[list[Any]] = [[unescape_formula(cell) for cell in record] for record in csv.reader(lines)]
        for (number, *_), row in zip(finished, rows, strict=True):
            # As in the input, where dates and numbers are more than text.
            row[: self._own] = map(_typed, self._own_values(self._rows[number].given))
            for place in numbers:
                row[place] = float(row[place]) if row[place] else ""
        write_atomically(self._out, workbook(self._header, rows, "Results"))
        self._waiting.unlink()

    def _values(self, row: BatchRow, record: Mapping[str, Any]) -> list[Any]:
        results = {"row": row.number, **_flatten(record)}
        return [*self._input_cells(row.given), *(results[name] for name in RESULT_COLUMNS)]

    def _own_values(self, given: Mapping[str, Any]) -> list[Any]:
        values = map(given.get, self._header[: self._own])
        return ["" if value is None else value for value in values]

    def _line(self, values: Iterable[Any]) -> str:
        return csv_line(values, self._delimiter)

    def _read_finished(self) -> dict[int, str]:
        finished: dict[int, str] = {}
        for number, own, failed, line in self._lines():
            row = self._rows.get(number)
            # Rows that failed or have changed are asked again.
            if row is not None and not failed and own == self._input_cells(row.given):
                finished[number] = line
        return finished

    def _input_cells(self, given: Mapping[str, Any]) -> list[str]:
        # A workbook holds numbers in fewer digits than a text does.
        text = _cell if self._suffix == ".xlsx" else str
        return [str(escape_formula(text(value))) for value in self._own_values(given)]

    def _lines(self) -> Iterator[tuple[int, list[str], bool, str]]:
        """Yield row number, input columns, failure and line of the rows in the file so far."""
        if self._suffix == ".jsonl":
            yield from self._lines_of_json()
            return
        if self._waiting.exists():
            with self._waiting.open(encoding="utf-8", newline="") as file:
                records = list(csv.reader(file, delimiter=self._delimiter))
        elif self._out.exists():
            records = [[escape_formula(_cell(cell)) for cell in cells] for _, cells in _cells(self._out.read_bytes())]
        else:
            return
        # The file is about to be overwritten, and this is not our output.
        if records and records[0] != self._header_cells:
            raise InvalidInput(
                f"{self._out} exists and is not the output of a batch with these columns; name another file"
            )
        for record in records[1:]:
            record += [""] * (len(self._header) - len(record)) if self._waiting != self._out else []
            number = record[self._own] if len(record) == len(self._header) else ""
            # The last row of an interrupted run may lack columns.
            if number.isdigit():
                yield int(number), record[: self._own], bool(record[-1]), self._line(record)

    def _lines_of_json(self) -> Iterator[tuple[int, list[str], bool, str]]:
        for line in self._out.read_text(encoding="utf-8").splitlines() if self._out.exists() else ():
            try:
                record = json.loads(line)
            except ValueError:
                # The last line of an interrupted run may be cut off.
                continue
            given = record.get("given") if isinstance(record, dict) else None
            if isinstance(given, dict) and isinstance(record.get("row"), int):
                yield record["row"], self._input_cells(given), bool(record.get("error")), f"{line}\n"


def _cell(cell: object) -> str:
    # A workbook stores every number as a float of 15 digits.
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _typed(value: Any) -> Any:
    """Return a value as a workbook can hold it: dates and numbers as such, everything else as text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _TOO_LONG
    return value if is_number or isinstance(value, date | time | timedelta) else str(value)


def _flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten an outcome into columns: the answer, the sentence that decides, and its file and page."""
    sentences = record.get("sentences") or ()
    first = sentences[0] if sentences else {}
    result = record.get("result") or record
    evidence = {e["passage"]["id"]: e["passage"] for e in result.get("evidence", ())}
    ids = list(dict.fromkeys(s["quote"]["passage_id"] for s in sentences)) or list(evidence)
    passage = evidence.get(ids[0], {}) if sentences else {}
    return {
        "answer": record.get("text", record.get("label", "")),
        "confidence": record.get("confidence", ""),
        "parts": "; ".join(f"{part['finding']}: {part['text']}" for part in record.get("parts", ())),
        "sentence": " ".join(first.get("quote", {}).get("text", "").split()),
        "file": passage.get("metadata", {}).get("file.path", passage.get("document_id", "")),
        "page": first.get("page") or "",
        "passages": "; ".join(ids),
        "notes": "; ".join(note["text"] for note in record.get("notes", ())),
        "error": record.get("error", ""),
    }
