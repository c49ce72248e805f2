"""Markdown: text in which nothing is taken for markup, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def escape(value: str) -> str:
    """Put a text on one line in which nothing is markup."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(value.split()))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Give the lines of a table; the cells are Markdown already."""
    return ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)]
