"""Tables as comma-separated values, which spreadsheets open."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from multihop.rendering.xlsx import Cell


def csv_of(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Write a table as comma-separated values, row by row: every one is a line, and no cell is taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in chain([header], rows):
        writer.writerow([_harmless(cell) for cell in row])
        yield out.getvalue()
        # Emptied after every row, so that a long table is never whole in memory.
        out.seek(0)
        out.truncate()


def _harmless(value: Cell) -> Cell:
    """A cell that begins like a formula would be run by a spreadsheet; an apostrophe makes it a text."""
    # A number may begin with a minus, and is no formula.
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
