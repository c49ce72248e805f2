"""Tables in plain text, aligned with spaces: their rows get the names of their columns.

A line whose words stand in columns is a header only if something tells it from the rows below: a rule of dashes between
them, or a column of figures under a name without one. All else, such as code and poems, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from multihop.index.readers.tables import are_names, table

_CELL = re.compile(r"\S+(?: \S+)*")
_NAME = re.compile(r"[^\W\d_].*|[#%]|(?:19|20)\d\d")
_GAP = re.compile(r" {2,}")
_RULE = re.compile(r"\s*[-=_─═]{2}[-=_─═\s]*")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_ROWS, _MOST_COLUMNS = 2, 20


def with_tables(text: str) -> str:
    """Return a text with the rows of its tables as lines of named cells."""
    return "\f".join("\n".join(_lines(page.split("\n"))) for page in text.split("\f")) if "  " in text else text


def _lines(lines: list[str]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        # Only the first of several lines with columns may be a header; trying each would take quadratic time.
        is_first = _has_columns(lines[place]) and not (place and _has_columns(lines[place - 1]))
        rows, end = _table(lines, place) if is_first else ([], place)
        yield table(rows, header=True) if rows else lines[place]
        place = max(end, place + 1)


def _has_columns(line: str) -> bool:
    return "  " in line.strip() and not _RULE.fullmatch(line)


def _table(lines: list[str], start: int) -> tuple[list[list[str]], int]:
    """Return the rows of the table whose header is a line, and where it ends; no rows if the line is none."""
    names = list(_CELL.finditer(lines[start]))
    header = [name[0] for name in names]
    if len(header) > _MOST_COLUMNS or not are_names(header) or not all(map(_NAME.fullmatch, header)):
        return [], start
    is_ruled = start + 1 < len(lines) and _RULE.fullmatch(lines[start + 1]) is not None
    end = start + 1 + is_ruled
    # What is blank in all lines, between each column and the next.
    gaps = [(left.end(), right.start()) for left, right in pairwise(names)]
    while end < len(lines) and (narrower := _narrowed(gaps, lines[end])):
        gaps, end = narrower, end + 1
    body = [line for line in lines[start + 1 : end] if not _RULE.fullmatch(line)]
    rows = [_cells(line, gaps) for line in body]
    if len(rows) < _LEAST_ROWS or not (is_ruled or _names_figures(header, rows)):
        return [], start
    # Two columns may be names and values, line by line; only figures set flush right are surely a column.
    if len(header) == 2 and not (is_ruled or _is_flush_right(body, rows)):
        return [], start
    return [header, *rows], end


def _narrowed(gaps: Sequence[tuple[int, int]], line: str) -> list[tuple[int, int]]:
    """Return what a row leaves of the gaps between columns; nothing if it is no row."""
    left = []
    blanks = [blank.span() for blank in _GAP.finditer(line.ljust(gaps[-1][1] + 2))]
    for start, end in gaps:
        within = [(max(start, first), min(end, last)) for first, last in blanks if first < end and last > start]
        if len(within) != 1:
            return []
        left += within
    return left if sum(map(bool, _cells(line, left))) > 1 else []


def _cells(line: str, gaps: Sequence[tuple[int, int]]) -> list[str]:
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(line)]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _names_figures(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a column behind the first has a name without figures, or a year, above nothing but figures."""
    return any(
        all(_DIGIT.search(cell) for cell in column if cell)
        and not (any(map(_YEAR.fullmatch, column)) if _YEAR.fullmatch(name) else _DIGIT.search(name))
        for name, *column in list(zip(header, *rows, strict=True))[1:]
    )


def _is_flush_right(lines: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    return len({len(line.rstrip()) for line in lines}) == 1 < len({len(row[-1]) for row in rows})
