"""Many questions in one go: rows of a CSV or JSON Lines file, several at a time, one result for each in their order.

A row that cannot be asked is reported in its place. What is finished stays in the output file, so the same call again
goes on where an interrupted one ended; rows that failed are asked again.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from multihop.errors import InvalidInput, MultihopError, NoVerdict
from multihop.rendering.files import write_atomically
from multihop.types import Answer, Result, Verdict

T = TypeVar("T")
COLUMNS = ("question", "claim", "query", "text")
FORMATS = (".csv", ".jsonl")
_ERROR = "error"


class BatchOutcome(Protocol):
    """What is found for a row: a result, an answer or a verdict."""

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A row of the input: its number from 1 on, its id, what it asks, and what is wrong with it, if anything."""

    number: int
    id: str
    text: str
    problem: str = ""


@dataclass(slots=True)
class BatchSummary:
    """What a batch did: rows done now, kept from before, failed, and what the language model cost."""

    done: int = 0
    kept: int = 0
    failed: int = 0
    lm_calls: int = 0
    lm_tokens: int = 0
    problems: list[str] = field(default_factory=list)

    def count(self, value: object) -> None:
        """Add up what the language model cost; what came out of a cache cost nothing."""
        result = value.result if isinstance(value, Answer | Verdict | NoVerdict) else value
        for call in result.trace.lm_calls if isinstance(result, Result) else ():
            if call.attempts and not call.cached:
                self.lm_calls += call.attempts
                self.lm_tokens += call.tokens_in + call.tokens_out


def read_rows(path: Path) -> list[BatchRow]:
    """Read the rows of a file; raises for a file that holds no questions at all."""
    if path.suffix not in FORMATS:
        raise InvalidInput(f"a batch is a .csv or .jsonl file, got {path.name!r}")
    try:
        # Spreadsheets begin a file that they save as UTF-8 with a mark, which is no part of the first column.
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text (byte {error.start})") from error
    rows = _of_csv(content, path) if path.suffix == ".csv" else _of_jsonl(content)
    if not rows:
        raise InvalidInput(f"{path} has no rows; give one question a row")
    return rows


def _of_csv(content: str, path: Path) -> list[BatchRow]:
    reader = csv.DictReader(content.splitlines(keepends=True))
    names = [str(name).strip().lower() for name in reader.fieldnames or ()]
    reader.fieldnames = names
    column = next((c for c in COLUMNS if c in names), None)
    if column is None:
        had = ", ".join(names) or "none"
        raise InvalidInput(f"{path} has the columns {had}; one of {', '.join(COLUMNS)} is needed")
    return [_row(number, record, column) for number, record in enumerate(reader, 1)]


def _of_jsonl(content: str) -> list[BatchRow]:
    lines = (line for line in content.splitlines() if line.strip())
    return [_of_line(number, line) for number, line in enumerate(lines, 1)]


def _of_line(number: int, line: str) -> BatchRow:
    try:
        record = json.loads(line)
    # JSON that is nested too deep is no ValueError.
    except (ValueError, RecursionError):
        return BatchRow(number, "", "", "this line is not valid JSON")
    record = {"question": record} if isinstance(record, str) else record
    if not isinstance(record, dict):
        return BatchRow(number, "", "", "this line is no JSON object")
    column = next((c for c in COLUMNS if isinstance(record.get(c), str)), None)
    return _row(number, record, column) if column else BatchRow(number, "", "", f"it has none of {', '.join(COLUMNS)}")


def _row(number: int, record: Mapping[str, Any], column: str) -> BatchRow:
    text = str(record.get(column) or "").strip()
    return BatchRow(number, str(record.get("id") or number), text, "" if text else f"{column} is empty")


def in_order(work: Callable[[T], Any], questions: Iterable[T], workers: int) -> Iterator[Any]:
    """Do the work of each question, several at a time, and give what it returns or the error it raises, in order."""
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 64:
        raise InvalidInput(f"workers is how many questions are asked at a time, 1 to 64; got {workers!r}")

    def guarded(question: T) -> Any:
        try:
            return work(question)
        # Given in its place: one question that cannot be asked does not end the others.
        except MultihopError as error:
            return error

    with ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        waiting: deque[Future[Any]] = deque()
        for question in questions:
            waiting.append(pool.submit(guarded, question))
            # A few ahead keep every thread at work; more would hold the results of a long file in memory.
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def run_batch(
    ask: Callable[[str], BatchOutcome],
    rows: Sequence[BatchRow],
    out: Path,
    *,
    workers: int = 4,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> BatchSummary:
    """Ask every row and write one line of `out` for each, a .csv or .jsonl file; finished rows of it are kept."""
    if out.suffix not in FORMATS:
        raise InvalidInput(f"cannot infer the format from {out.name!r}; use .csv or .jsonl")
    kept = _kept(out, rows)
    summary = BatchSummary(kept=len(kept))
    todo = [row for row in rows if str(row.number) not in kept]
    _begin(out, [kept[str(row.number)] for row in rows if str(row.number) in kept])
    good = [row for row in todo if not row.problem]
    found = in_order(ask, (row.text for row in good), workers)
    with out.open("a", encoding="utf-8", newline="") as file:
        for place, row in enumerate(todo, 1):
            # The results are those of the good rows alone, in the same order.
            value = InvalidInput(row.problem) if row.problem else next(found)
            _write(file, out.suffix, _record(row, value, summary))
            # Whatever interrupts the run, what is finished is in the file.
            file.flush()
            if progress is not None:
                progress("asking", place, len(todo))
    return summary


def _record(row: BatchRow, value: BatchOutcome | MultihopError, summary: BatchSummary) -> dict[str, Any]:
    head = {"row": row.number, "id": row.id, "asked": row.text}
    summary.count(value)
    if isinstance(value, MultihopError):
        summary.failed += 1
        summary.problems.append(f"row {row.number}: {value}")
        return {**head, _ERROR: " ".join(str(value).split())}
    summary.done += 1
    return {**head, _ERROR: "", **value.to_dict()}


# --- files ----------------------------------------------------------------------------------------

TABLE = ("row", "id", "asked", "text", "label", "confidence", "answered", "sentence", "passages", "notes", _ERROR)
"""The columns of a batch that is written as a table."""


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Put what a table can hold of a record into columns: the answer, its first sentence, the passages that matter."""
    sentences = record.get("sentences") or ()
    first = sentences[0] if sentences else {}
    result = record.get("result") or record
    # The sentences of a verdict name their passage themselves, those of an answer quote it.
    told = [s["quote"]["passage_id"] if "quote" in s else s["passage"] for s in sentences]
    passages = told or [e["passage"]["id"] for e in result.get("evidence", ())]
    quoted = first.get("quote", first)
    return {
        **{name: record.get(name, "") for name in TABLE},
        "sentence": quoted.get("text") or quoted.get("sentence") or "",
        "passages": " ".join(dict.fromkeys(passages)),
        "notes": "; ".join(note["text"] for note in record.get("notes", ())),
    }  # fmt: skip


def _write(file: IO[str], suffix: str, record: Mapping[str, Any]) -> None:
    if suffix == ".jsonl":
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        csv.DictWriter(file, TABLE).writerow(_flat(record))


def _kept(out: Path, rows: Sequence[BatchRow]) -> dict[str, str]:
    """Give the finished lines of an output file by the number of their row, as far as they are about the same text."""
    if not out.exists():
        return {}
    asked = {str(row.number): row.text for row in rows}
    found: dict[str, str] = {}
    with out.open(encoding="utf-8", newline="") as file:
        lines = _lines_of_csv(file, out) if out.suffix == ".csv" else _lines_of_jsonl(file)
        for record, line in lines:
            number = str(record.get("row"))
            # A row that failed, or that says something else now, is asked again.
            if not record.get(_ERROR) and asked.get(number) == record.get("asked"):
                found[number] = line
    return found


def _lines_of_csv(file: IO[str], out: Path) -> Iterator[tuple[Mapping[str, Any], str]]:
    reader = csv.DictReader(file)
    # A table of the user's own would be lost when the file is begun anew.
    if reader.fieldnames is not None and tuple(reader.fieldnames) != TABLE:
        raise InvalidInput(f"{out} exists and is not the output of a batch; give another file")
    for record in reader:
        # The last row of an interrupted run may lack columns.
        if None not in record.values():
            yield record, _csv_line([record[name] for name in TABLE])


def _lines_of_jsonl(file: IO[str]) -> Iterator[tuple[Mapping[str, Any], str]]:
    for line in file:
        try:
            record = json.loads(line)
        except ValueError:
            # The last line of an interrupted run may be cut off.
            continue
        if isinstance(record, dict):
            yield record, line


def _csv_line(values: Sequence[Any]) -> str:
    buffer = StringIO()
    csv.writer(buffer).writerow(values)
    return buffer.getvalue()


def _begin(out: Path, lines: Sequence[str]) -> None:
    """Write the file anew with the lines that stay, in one step, so that nothing finished can get lost."""
    head = [_csv_line(TABLE)] if out.suffix == ".csv" else []
    write_atomically(out, "".join([*head, *lines]))
