"""Batches of questions from a file: the options `--batch` and `--out` of `ask`, `answer` and `verdict`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import PATH
from multihop.cli.output import open_console, print_json, warn
from multihop.index.locations import Location, is_server
from multihop.rendering.phrases import pluralize
from multihop.types import plain

if TYPE_CHECKING:
    from multihop.answering.batch import BatchOutcome, BatchSummary

_MAX_PROBLEMS = 5
_BATCH_SUFFIXES = (".csv", ".jsonl", ".json", ".tsv", ".txt", ".xlsx")
BATCH_OPTIONS = (
    click.option(
        "--batch", type=PATH, metavar="FILE", help="Ask every row of a .csv, .tsv, .xlsx or .jsonl file; needs --out."
    ),
    click.option(
        "--out", type=PATH, metavar="FILE", help="Output of a batch: .csv, .tsv or .xlsx; .jsonl for full results."
    ),
    click.option("--workers", type=int, default=4, show_default=True, help="Number of rows to ask concurrently."),
)


@dataclass(frozen=True, slots=True)
class BatchChoice:
    """The batch file that a command was given, if any, and where its results go."""

    file: Path | None
    out: Path | None
    workers: int

    def question(self, given: str | None) -> str | None:
        """Return the question, or None for a batch; raises if neither or both were given, or if it names a file."""
        if self.file is not None:
            if given is not None:
                raise click.UsageError("give a question or --batch FILE, not both")
            if self.out is None:
                raise click.UsageError("--batch needs --out FILE, a .csv, .tsv, .xlsx or .jsonl file")
            return None
        if self.out is not None:
            raise click.UsageError("--out is for a batch; give --batch FILE")
        if given is None:
            raise click.UsageError("give a question, - to read it from stdin, or --batch FILE")
        if given == "-":
            return _refuse_table(sys.stdin.buffer.read().decode(errors="replace").strip())
        # A file name as the question means that --batch was forgotten.
        if Path(given).suffix.lower() in _BATCH_SUFFIXES and _is_file(given):
            raise click.UsageError(f"{given!r} is a file; ask every row of it with --batch {given} --out results.jsonl")
        return given

    def run(
        self, ask: Callable[[str], BatchOutcome], indexes: Iterable[Location], *, as_json: bool, first: str
    ) -> None:
        """Ask every row of the file and print a summary; fails if every row failed.

        `first` is the column that is preferred if there are several.
        """
        from multihop.answering.batch import run_batch
        from multihop.answering.batch_files import read_rows
        from multihop.cli.progress import progress_bar

        if self.file is None or self.out is None:
            return
        rows = read_rows(self.file, first=first)
        changed = max(map(_last_change, indexes))
        with progress_bar(open_console(stderr=True), wanted=not as_json) as progress:
            summary = run_batch(ask, rows, self.out, workers=self.workers, progress=progress, changed=changed)
        if as_json:
            print_json(plain(summary))
        else:
            _print_summary(summary, self.out)
        # Failed rows are reported in the output; only a batch without any result counts as failed.
        if summary.failed and not summary.done and not summary.kept:
            raise click.exceptions.Exit(1)


def _last_change(index: Location) -> float:
    """Return when the documents of an index in a folder last changed; 0 on a server, where this is not known."""
    from multihop.index.stores.sqlite.schema import FILE

    if is_server(index):
        return 0.0
    # While the index is open elsewhere, changes may still be in its log.
    files = (file for file in (Path(index, FILE), Path(index, f"{FILE}-wal")) if file.exists())
    return max((state.st_mtime for file in files if (state := file.stat()).st_size), default=0.0)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    # A question may be too long for a file name, or contain a NUL.
    except (OSError, ValueError):
        return False


def _refuse_table(text: str) -> str:
    """Refuse CSV or JSON Lines on stdin, which would be read as one long claim."""
    from multihop.answering.batch_files import COLUMNS

    first, _, rest = text.partition("\n")
    head = {cell.strip().strip('"').lower() for cell in first.split(",")}
    if rest.strip() and (head & set(COLUMNS) or _is_json_object(first)):
        raise click.UsageError("stdin holds a table of questions; save it to a file and give --batch FILE --out FILE")
    return text


def _is_json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _print_summary(summary: BatchSummary, out: Path) -> None:
    for problem in summary.problems[:_MAX_PROBLEMS]:
        warn(problem)
    if len(summary.problems) > _MAX_PROBLEMS:
        warn(f"{pluralize(len(summary.problems) - _MAX_PROBLEMS, 'more row')} failed; see the column error in {out}")
    if summary.outdated:
        warn(f"the index has changed since {out} was written; delete {out} to ask its rows again")
    advice = "" if summary.outdated else " (delete the file to ask them again)"
    kept = f", {summary.kept:,} kept from an earlier run{advice}" if summary.kept else ""
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    calls = f"; {pluralize(summary.lm_calls, 'call')} and {summary.lm_tokens:,} tokens of the language model"
    click.echo(f"{pluralize(summary.done, 'row')} written to {out}{kept}{failed}{calls if summary.lm_calls else ''}")
