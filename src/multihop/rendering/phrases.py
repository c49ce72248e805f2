"""Text formatting shared by all outputs: shortening, plurals, file sizes, names of passages."""

from __future__ import annotations

import re
import unicodedata

from multihop.types import Passage

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Characters that control a terminal, reorder the text after them, or are invisible tags; not line breaks and tabs."""
_PUNCTUATION = " ,.;:"


def shorten(text: str, limit: int) -> str:
    """Cut text to at most `limit` characters including the ellipsis, at a word boundary if one is near."""
    if len(text) <= limit:
        return text
    # Do not give up more than half of the limit for a word boundary.
    end = text.rfind(" ", limit // 2, limit)
    return text[: end if end > 0 else limit - 1].rstrip(_PUNCTUATION) + "…"


def fit(text: str, columns: int) -> str:
    """Put text on one line at most `columns` wide; wide characters count as two columns."""
    line = one_line(text)
    used = 0
    for place, letter in enumerate(line):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > columns:
            return shorten(line, max(2, place))
    return line


def printable(text: str) -> str:
    """Make text safe to print on a terminal."""
    return CONTROL.sub("", text)


def one_line(text: str, limit: int | None = None) -> str:
    """Put text on one line, safe to print, shortened if longer than `limit`."""
    line = printable(" ".join(text.split()))
    return line if limit is None else shorten(line, limit)


def passage_name(passage: Passage) -> str:
    """Name a passage by document title, heading and page, or by its id if it has no title."""
    return one_line(passage.citation if passage.title.strip() else passage.id)


def pluralize(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun: "1 passage", "1,204 passages", "2 queries"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def capitalize(text: str) -> str:
    """Capitalize the first letter and leave the rest unchanged."""
    return text[:1].upper() + text[1:]


def file_size(count: float) -> str:
    """Format a number of bytes for people: 605083 is "590.9 KiB"."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"
