"""Plain text: the file is one document, and a short first line that stands alone is its title."""

from __future__ import annotations

from multihop.index.readers.decoding import decode
from multihop.index.readers.files import Content, text_format
from multihop.index.readers.record import clean
from multihop.index.readers.text_tables import with_tables

TITLE_LENGTH = 100


def extract(data: bytes, source: str) -> Content:
    """Return the text, with the rows of its tables as lines of named cells; a title line becomes the title."""
    text = with_tables(clean(decode(data, source))).strip()
    first, _, rest = text.partition("\n")
    below, _, body = rest.partition("\n")
    # An empty second line sets a title off from a text whose first line is simply short.
    if len(first) <= TITLE_LENGTH and not below.strip() and body.strip():
        return Content(body, first)
    return Content(text)


TXT = text_format(extract, (".txt", ".text"), "text/plain")
