"""Documents as they are stored: values that every database can hold, and metadata as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from multihop.errors import FormatError, InvalidRecord
from multihop.types import Document, Metadata, Piece

T = TypeVar("T")
LONGEST_FIELD = 500
"""Bytes of the name of a metadata field: databases index it together with its values."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(value: object) -> bool:
    """Return whether a database can hold a value: no text with half of a surrogate pair, no number beyond 64 bits."""
    if isinstance(value, str):
        # Python knows of a text whether it is ASCII, as most are, without going through it.
        return value.isascii() or not _SURROGATE.search(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def check_storable(document: Document) -> None:
    """Raise InvalidRecord for a document with a value that cannot be stored."""
    for name in document.metadata:
        if len(name.encode("utf-8", "replace")) > LONGEST_FIELD:
            raise InvalidRecord(
                f"document {document.id!r} has a metadata field of {len(name)} characters, {name[:40]!r}…; the name of "
                f"a field has at most {LONGEST_FIELD} bytes"
            )
    held = (document.id, document.title, document.text, *document.aliases, *document.metadata)
    for value in (*held, *(value for _, value in attributes(document))):
        if not storable(value):
            raise InvalidRecord(
                f"document {document.id!r} holds {_excerpt(value)}, which cannot be stored; allowed are texts without "
                "halves of surrogate pairs (U+D800 to U+DFFF) and whole numbers of at most 64 bits"
            )


def _excerpt(value: object) -> str:
    shown = ascii(value)
    # The half of a pair may stand anywhere in a long text; what is around it helps to find it.
    place = max(0, shown.find("\\ud") - 20)
    return shown if len(shown) <= 60 else f"…{shown[place : place + 50]}…"


def attributes(document: Document) -> Iterator[tuple[str, Any]]:
    """Yield each metadata field with each of its values; a boolean is stored as a number."""
    for field, value in document.metadata.items():
        for each in value if isinstance(value, tuple | list) else (value,):
            yield field, int(each) if isinstance(each, bool) else each


def prefix_pattern(prefix: str) -> str:
    """Write a LIKE pattern, with backslash as its escape, for texts that start with a prefix."""
    return re.sub(r"([\\%_])", r"\\\1", prefix) + "%"


def dump_metadata(document: Document) -> str:
    return json.dumps(dict(document.metadata), ensure_ascii=False) if document.metadata else "{}"


def load_metadata(stored: str) -> Metadata:
    """Read metadata back as it was given: lists become tuples again."""
    # Passages are read by the hundred for a question, and in many corpora none has metadata.
    if stored == "{}":
        return {}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in _load_json(stored, dict).items()}


def load_aliases(stored: str) -> tuple[str, ...]:
    return tuple(_load_json(stored, list))


def _load_json(stored: str, kind: type[T]) -> T:
    try:
        value = json.loads(stored)
        if isinstance(value, kind):
            return value
    except (ValueError, TypeError):
        pass
    raise FormatError(
        f"the index is damaged: {str(stored)[:40]!r} should be a JSON {kind.__name__}; restore a copy, index the "
        "corpus again, or get out what can be read with: multihop salvage"
    )


def dump_aliases(document: Document) -> str:
    return json.dumps(document.aliases) if document.aliases else "[]"


def text_beside(document: Document, pieces: Sequence[Piece]) -> str | None:
    """Return the text to store with the document: None where its only passage holds all of it."""
    return None if len(pieces) == 1 and pieces[0].text == document.text else document.text
