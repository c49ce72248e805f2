"""The records that `multihop index` could not read, each reason reported once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from multihop.errors import InvalidRecord
from multihop.rendering.phrases import counted, printable
from multihop.types import Document

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 20
"""Different reasons that are shown."""
_VARYING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")


class Skipped:
    """Counts records that could not be read: the first of each reason is named as it comes, its like are counted.

    A reason belongs to a file where it has a line, and to all files where it is about files as a whole. With `keep`
    all problems are kept, too.
    """

    def __init__(self, console: Console, *, strict: bool, keep: bool) -> None:
        self._console = console
        self._strict = strict
        self._keep = keep
        self._more: dict[tuple[str, str], int] = {}
        self._first: dict[tuple[str, str], InvalidRecord] = {}
        self.count = 0
        self.problems: list[str] = []

    def without(self, records: Iterable[Document | InvalidRecord]) -> Iterator[Document]:
        for record in records:
            if isinstance(record, Document):
                yield record
            else:
                self.name(record)

    def name(self, problem: InvalidRecord) -> None:
        """Take note of a record that was skipped; raise it when nothing may be skipped."""
        if self._strict:
            raise problem
        self.count += 1
        if self._keep:
            self.problems.append(str(problem))
        # Names and numbers vary where the reason is the same.
        reason = (problem.source if problem.line is not None else "", _VARYING.sub("…", problem.problem))
        if reason in self._first:
            self._more[reason] += 1
        elif len(self._first) < _SHOWN:
            self._first[reason], self._more[reason] = problem, 0
            say(self._console, f"skipped {problem}")

    def sum_up(self) -> None:
        """Say how many others were skipped, by reason."""
        for reason, more in self._more.items():
            if more:
                first = self._first[reason]
                place = f"{first.source}:{first.line}" if first.line is not None else first.source
                what = counted(more, "record" if first.line is not None else "file")
                say(self._console, f"skipped {what} more for the reason given for {place}")
        if rest := self.count - len(self._first) - sum(self._more.values()):
            say(self._console, f"skipped {counted(rest, 'record')} more for other reasons; --json lists every one")


def say(console: Console, line: str) -> None:
    """Print one line, however long."""
    console.print(printable(line), soft_wrap=True)
