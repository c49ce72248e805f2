"""Markdown: escaped text and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def escape(value: str) -> str:
    """Escape text for Markdown and put it on one line."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(value.split()))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the cells are already Markdown."""
    return ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)]
