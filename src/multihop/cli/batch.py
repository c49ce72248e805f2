"""Many questions from a file: the options `--batch` and `--out` of `ask`, `answer` and `verdict`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import FOLDER
from multihop.cli.screen import print_json, screen, warn
from multihop.rendering.phrases import pluralize
from multihop.types import plain

if TYPE_CHECKING:
    from multihop.answering.batch import BatchOutcome, BatchSummary

_SHOWN = 5
_FILES = (".csv", ".jsonl", ".json", ".tsv", ".txt")
BATCH_OPTIONS = (
    click.option("--batch", type=FOLDER, metavar="FILE", help="Ask every row of a .csv or .jsonl file; needs --out."),
    click.option("--out", type=FOLDER, metavar="FILE", help="Where a batch goes: .csv, or .jsonl for whole results."),
    click.option("--workers", type=int, default=4, show_default=True, help="How many rows are asked at a time."),
)


@dataclass(frozen=True, slots=True)
class BatchChoice:
    """The file of questions that a command was given, if any, and where the results go."""

    file: Path | None
    out: Path | None
    workers: int

    def question(self, given: str | None) -> str | None:
        """Give the one question of a command, or None for a batch; raises for neither, both, or a file as question."""
        if self.file is not None:
            if given is not None:
                raise click.UsageError("give a question or --batch FILE, not both")
            if self.out is None:
                raise click.UsageError("--batch needs --out FILE, a .csv or .jsonl file")
            return None
        if self.out is not None:
            raise click.UsageError("--out is for a batch; give --batch FILE")
        if given is None:
            raise click.UsageError("give a question, - to read it from stdin, or --batch FILE")
        if given == "-":
            return _one(sys.stdin.buffer.read().decode(errors="replace").strip())
        # The name of a file as the question is a forgotten --batch, not something to search for.
        if Path(given).suffix.lower() in _FILES and _is_file(given):
            raise click.UsageError(f"{given!r} is a file; ask every row of it with --batch {given} --out results.jsonl")
        return given

    def run(self, ask: Callable[[str], BatchOutcome], *, as_json: bool) -> None:
        """Ask every row of the file and say what came of it; fails when no row could be asked."""
        from multihop.answering.batch import read_rows, run_batch
        from multihop.cli.progress import progress_bar

        if self.file is None or self.out is None:
            return
        rows = read_rows(self.file)
        with progress_bar(screen(stderr=True), wanted=not as_json) as progress:
            done = run_batch(ask, rows, self.out, workers=self.workers, progress=progress)
        if as_json:
            print_json(plain(done))
        else:
            _tell(done, self.out)
        # Failed rows are named in the output; only a batch without any result has failed itself.
        if done.failed and not done.done and not done.kept:
            raise click.exceptions.Exit(1)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    # A long question is too long for a name, and one may hold a NUL, which no name can.
    except (OSError, ValueError):
        return False


def _one(text: str) -> str:
    """Refuse a table or JSON Lines on stdin, which would be taken for one long claim."""
    from multihop.answering.batch import COLUMNS

    first, _, rest = text.partition("\n")
    head = {cell.strip().strip('"').lower() for cell in first.split(",")}
    if rest.strip() and (head & set(COLUMNS) or _is_object(first)):
        raise click.UsageError("stdin holds a table of questions; put it into a file and give --batch FILE --out FILE")
    return text


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _tell(done: BatchSummary, out: Path) -> None:
    for problem in done.problems[:_SHOWN]:
        warn(problem)
    if len(done.problems) > _SHOWN:
        warn(f"{pluralize(len(done.problems) - _SHOWN, 'more row')} failed; the column error of {out} says why")
    kept = f", {done.kept:,} kept from before" if done.kept else ""
    failed = f", {done.failed:,} failed" if done.failed else ""
    calls = f"; {pluralize(done.lm_calls, 'call')} and {done.lm_tokens:,} tokens of the language model"
    click.echo(f"{pluralize(done.done, 'row')} written to {out}{kept}{failed}{calls if done.lm_calls else ''}")
