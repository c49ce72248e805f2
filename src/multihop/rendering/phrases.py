"""Small pieces of prose that every output writes alike: shortened texts, counted nouns, sizes, names of passages."""

from __future__ import annotations

import unicodedata

from multihop.types import Passage

# Control characters (but for line breaks and tabs) could steer the terminal they are shown on.
_STEERING = dict.fromkeys(i for i in (*range(32), *range(127, 160)) if chr(i) not in "\n\t")
_PUNCTUATION = " ,.;:"


def shorten(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, the ellipsis included; between words where one ends near."""
    if len(text) <= limit:
        return text
    # Half of the room is worth more than a whole word.
    end = text.rfind(" ", limit // 2, limit)
    return text[: end if end > 0 else limit - 1].rstrip(_PUNCTUATION) + "…"


def fit(text: str, columns: int) -> str:
    """Put a text on one line that is at most so many columns wide; characters of wide scripts take two."""
    line = one_line(text)
    used = 0
    for place, letter in enumerate(line):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > columns:
            return shorten(line, max(2, place))
    return line


def printable(text: str) -> str:
    """Make a text safe to show on a terminal."""
    return text.translate(_STEERING)


def one_line(text: str, limit: int | None = None) -> str:
    """Put a text on one line that is safe to show, shortened when it is longer than `limit`."""
    line = printable(" ".join(text.split()))
    return line if limit is None else shorten(line, limit)


def passage_name(passage: Passage) -> str:
    """Call a passage by its document's title, its heading and its page; by its id when it has no title."""
    return one_line(passage.citation if passage.title.strip() else passage.id)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: "1 passage", "1,204 passages", "2 queries"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def capitalized(text: str) -> str:
    """Write the first letter large and leave the others as they are."""
    return text[:1].upper() + text[1:]


def file_size(count: float) -> str:
    """Write a number of bytes as people read it: 605083 is "590.9 KiB"."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"
