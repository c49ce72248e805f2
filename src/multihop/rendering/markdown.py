"""Markdown: escaped text and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multihop.rendering.phrases import one_line

# HTML as references, which also programs understand that do not know the backslash before a bracket.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{c: f"\\{c}" for c in "\\`*_[]|#"}})


def escape(value: str) -> str:
    """Escape text for Markdown and put it on one line; no HTML and no control character remains in it."""
    return one_line(value).translate(_ESCAPES)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the cells are already Markdown."""
    first, *others = ("| " + " | ".join(cells) + " |" for cells in (header, *rows))
    return [first, "|" + "---|" * len(header), *others]
