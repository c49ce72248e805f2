"""What `multihop index` could not read, files and records, each reason reported once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.errors import InvalidRecord
from multihop.rendering.phrases import pluralize, printable

if TYPE_CHECKING:
    from rich.console import Console

_MAX_REASONS = 20
"""Different reasons that are shown."""
_VARYING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")


class SkipReport:
    """Counts what could not be read: the first of each reason is named as it comes, its like are counted.

    A reason belongs to a file where it has a line, and to all files where it is about files as a whole. With `keep`
    all problems are kept, too.
    """

    def __init__(self, console: Console, *, strict: bool, keep_all: bool) -> None:
        self._console = console
        self._strict = strict
        self._keep_all = keep_all
        self._first: dict[tuple[str, str], InvalidRecord] = {}
        self._repeats: Counter[tuple[str, str]] = Counter()
        self._totals: Counter[str] = Counter()
        self._unreported: Counter[str] = Counter()
        self.problems: list[str] = []

    @property
    def count(self) -> int:
        """How many files and records were skipped."""
        return self._totals.total()

    def add(self, problem: InvalidRecord) -> None:
        """Take note of a file or record that was skipped; raise it when nothing may be skipped."""
        if self._strict:
            raise problem
        self._totals[_kind(problem)] += 1
        if self._keep_all:
            self.problems.append(str(problem))
        # Names and numbers vary where the reason is the same.
        reason = (problem.source if problem.line is not None else "", _VARYING.sub("…", problem.problem))
        if reason in self._first:
            self._repeats[reason] += 1
        elif len(self._first) < _MAX_REASONS:
            self._first[reason] = problem
            print_line(self._console, f"skipped {problem}")
        else:
            self._unreported[_kind(problem)] += 1

    def print_summary(self) -> None:
        """Say how many others were skipped, by reason."""
        for reason, first in self._first.items():
            if more := self._repeats[reason]:
                place = f"{first.source}:{first.line}" if first.line is not None else first.source
                what = pluralize(more, _kind(first))
                print_line(self._console, f"skipped {what} more for the reason given for {place}")
        if self._unreported:
            print_line(
                self._console, f"skipped {_tally(self._unreported)} more for other reasons; --json lists every one"
            )

    def __str__(self) -> str:
        return f"{_tally(self._totals)} skipped"


def _kind(problem: InvalidRecord) -> str:
    """Tell whether a whole file was skipped or a record of one."""
    from multihop.index.readers.files import bare_name
    from multihop.index.readers.formats import READERS, format_by_suffix

    format = format_by_suffix(Path(bare_name(Path(problem.source))).suffix.lower())
    if format is None:
        return "file" if problem.source and problem.line is None else "record"
    # Not by the line: a text in a wrong encoding has one, and records that were skipped in an earlier run have none.
    # A table that could not even be opened has the error of the system as its cause.
    return "record" if READERS[format].records and problem.__cause__ is None else "file"


def _tally(counts: Counter[str]) -> str:
    return " and ".join(pluralize(counts[kind], kind) for kind in ("file", "record") if counts[kind])


def print_line(console: Console, line: str) -> None:
    """Print one line, however long."""
    console.print(printable(line), soft_wrap=True)
