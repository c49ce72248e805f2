"""Report of files and records that could not be read, each reason printed once, and of sources that are gone."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.errors import InvalidRecord, UnknownName
from multihop.index.locations import Location, redact
from multihop.rendering.phrases import pluralize, printable

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.engine import Engine

_MAX_REASONS = 20
"""Number of different reasons to print."""
_MAX_TYPES = 12
_MAX_LOST = 5
_VARYING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")


class SkipReport:
    """Counts skipped files and records; prints the first of each reason at once and the number of repeats at the end.

    A reason with a line number is specific to its file; one about a whole file is shared by all files. Files without a
    known format are only counted, by suffix. With `keep_all` all problems are also collected.
    """

    def __init__(self, console: Console, *, strict: bool, keep_all: bool) -> None:
        self._console = console
        self._strict = strict
        self._keep_all = keep_all
        self._first: dict[tuple[str, str], InvalidRecord] = {}
        self._repeats: Counter[tuple[str, str]] = Counter()
        self._totals: Counter[str] = Counter()
        self._unreported: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        """The suffixes of files that have no known format; empty for a name without one."""
        self.problems: list[str] = []

    @property
    def count(self) -> int:
        """Number of skipped files and records."""
        return self._totals.total()

    def add(self, problem: InvalidRecord) -> None:
        """Record a skipped file or record; raises it in strict mode."""
        if self._strict:
            raise problem
        self._totals[_kind(problem)] += 1
        if self._keep_all:
            self.problems.append(str(problem))
        if isinstance(problem.__cause__, UnknownName):
            self.types[_suffix(problem)] += 1
            return
        # The same reason may quote different names and numbers.
        reason = (problem.source if problem.line is not None else "", _VARYING.sub("…", problem.problem))
        if reason in self._first:
            self._repeats[reason] += 1
        elif len(self._first) < _MAX_REASONS:
            self._first[reason] = problem
            print_line(self._console, f"skipped {problem}")
        else:
            self._unreported[_kind(problem)] += 1

    def print_summary(self) -> None:
        """Print how many more were skipped, by reason."""
        for reason, first in self._first.items():
            if more := self._repeats[reason]:
                place = f"{first.source}:{first.line}" if first.line is not None else first.source
                what = pluralize(more, _kind(first))
                print_line(self._console, f"skipped {what} more for the same reason as {place}")
        if self._unreported:
            print_line(
                self._console, f"skipped {_tally(self._unreported)} more for other reasons; --json lists every one"
            )
        if self.types:
            types = [
                f"{count:,} {suffix or 'without a suffix'}" for suffix, count in self.types.most_common(_MAX_TYPES)
            ]
            others = ["…"] if len(self.types) > _MAX_TYPES else []
            what = pluralize(self.types.total(), "file")
            print_line(self._console, f"skipped {what} without a known format: {', '.join(types + others)}")

    def __str__(self) -> str:
        return f"{_tally(self._totals)} skipped"


def _kind(problem: InvalidRecord) -> str:
    """Return whether a whole file or a single record was skipped."""
    from multihop.index.readers.formats import READERS, format_by_suffix

    format = format_by_suffix(_suffix(problem))
    if format is None:
        return "file" if problem.source and problem.line is None else "record"
    # Not by the line: a wrong encoding has one, and records skipped in an earlier run have none. A table that could
    # not even be opened has an OSError as its cause.
    return "record" if READERS[format].records and problem.__cause__ is None else "file"


def _suffix(problem: InvalidRecord) -> str:
    from multihop.index.readers.files import bare_name

    return Path(bare_name(Path(problem.source))).suffix.lower()


def _tally(counts: Counter[str]) -> str:
    return " and ".join(pluralize(counts[kind], kind) for kind in ("file", "record") if counts[kind])


def lost_notes(engine: Engine, index: Location) -> Iterator[str]:
    """Name the folders and files that are gone, with a command that deletes what the index still has of them."""
    from multihop.index.syncing import lost_sources

    lost = lost_sources(engine.store)
    for source, documents in islice(lost.items(), _MAX_LOST):
        command = shlex.join(["multihop", "delete", "--source", source, "--index", redact(index)])
        has = f"the index still has {pluralize(documents, 'document')} from it"
        yield f"{source} is gone, but {has}; to delete: {command}"
    if (more := len(lost) - _MAX_LOST) > 0:
        are = "is" if more == 1 else "are"
        yield f"{pluralize(more, 'more source')} of the index {are} gone; multihop stats lists all"


def print_line(console: Console, line: str) -> None:
    """Print one line without wrapping it."""
    console.print(printable(line), soft_wrap=True)
