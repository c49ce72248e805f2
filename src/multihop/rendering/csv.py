"""Tables as comma-separated values, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from multihop.rendering.xlsx import Cell

# Full-width signs begin a formula as well where they are typed.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?[\d.,\s]+([eE][+-]?\d+)?%?|-")


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Write a table as CSV, yielding one line per row; cells that look like formulas are escaped."""
    for row in chain([header], rows):
        yield csv_line([" ".join(cell.split()) if isinstance(cell, str) else cell for cell in row])


def csv_line(values: Iterable[Any], delimiter: str = ",") -> str:
    """Write one row as CSV; cells that look like formulas are escaped."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow(map(escape_formula, values))
    return out.getvalue()


def escape_formula(value: Any) -> Any:
    """Prefix text that a spreadsheet would run as a formula with an apostrophe; again has no effect."""
    if not isinstance(value, str) or not value.lstrip().startswith(_FORMULA):
        return value
    # A negative number is not a formula, nor is the dash of an empty cell.
    return value if _NUMBER.fullmatch(value.strip()) else f"'{value}"


def unescape_formula(cell: str) -> str:
    """Undo `escape_formula` for a cell that is known to be text, as in a workbook."""
    return cell[1:] if cell[:1] == "'" and escape_formula(cell[1:]) == cell else cell
