"""Tables as comma-separated values, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from multihop.rendering.xlsx import Cell


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Write a table as CSV, yielding one line per row; cells that look like formulas are escaped."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in chain([header], rows):
        writer.writerow([_escape_formula(cell) for cell in row])
        yield out.getvalue()
        # Emptied after every row, so that a long table is never held in memory.
        out.seek(0)
        out.truncate()


def _escape_formula(value: Cell) -> Cell:
    """Prefix text that a spreadsheet would run as a formula with an apostrophe."""
    # A negative number is not a formula.
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
