"""Tables as text: one line for each row, every cell with the name of its column: "Name: Pia Holm · Office: Sandnes".

So a row says what it means wherever it is quoted, and a passage from the middle of a table still does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from multihop.text.units import SEPARATOR

_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"[\d.,%€$£ -]*\d[\d.,%€$£ -]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_NAME = 60
_LONGEST_SHORT = 6
"""Abbreviations such as "No." and "Tel." may end with a full stop, sentences are longer."""


def table(rows: Iterable[Sequence[str]], *, header: bool | None = None) -> str:
    """Write a table; `header` says whether its first row names the columns, None that it has to be guessed.

    Rows without names of columns are written cell by cell: "Pia Holm | Sandnes". Blank rows and empty cells are left
    out, and single cells above a table, such as its title, are lines of their own.
    """
    tidy = [cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row])]
    above: list[str] = []
    while (
        header is None and len(tidy) > 1 and sum(map(bool, tidy[0])) == 1 < max(sum(map(bool, row)) for row in tidy[1:])
    ):
        above += filter(None, tidy.pop(0))
    if not tidy:
        return "\n".join(above)
    if header is None:
        header = is_header(tidy[0], tidy[1:])
    if header and len(tidy) > 1:
        names = [name.rstrip(": ") for name in tidy[0]]
        return "\n".join([*above, *(named_row(names, row) for row in tidy[1:])])
    return "\n".join([*above, *map(table_row, tidy)])


def table_row(cells: Iterable[str]) -> str:
    """Write a row of a table whose columns have no names, without its empty cells."""
    return " | ".join(filter(None, (" ".join(cell.split()) for cell in cells)))


def named_row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Write a row with the names of its columns, without its empty cells."""
    padded = (*names, *[""] * (len(cells) - len(names)))
    pairs = zip(padded, cells, strict=False)
    return SEPARATOR.join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Guess whether a row is the header of those below it."""
    names = list(first)
    while names and not names[-1]:
        names.pop()
    if not rows or not are_names(names):
        return False
    if len(names) > 2:
        return True
    # Two columns may be names and their values, line by line: only where the second holds figures is it a table.
    return not _DIGIT.search(names[1]) and all(_DIGIT.search(row[1]) for row in rows if len(row) > 1 and row[1])


def are_names(cells: Sequence[str]) -> bool:
    """Return whether cells can be column names: several short, distinct texts without numbers other than years."""
    if len(cells) < 2 or not all(cells) or len(set(cells)) < len(cells):
        return False
    if any(len(cell) > _LONGEST_NAME or (cell.endswith(".") and len(cell) > _LONGEST_SHORT) for cell in cells):
        return False
    return not any(
        _FIGURE.fullmatch(cell) and not (place and _YEAR.fullmatch(cell)) for place, cell in enumerate(cells)
    )
