"""Getting documents out of a damaged index: whatever SQLite can still read, piece by piece."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop.errors import FormatError, IndexNotFound
from multihop.index.stores.core.documents import load_metadata
from multihop.index.stores.sqlite import schema
from multihop.types import Document, Metadata

_STEP = 4096
_WIDEST = 2**40
"""Rows are numbered from one; beyond this only damage would count."""


@dataclass(slots=True)
class Salvaged:
    """What could be read: whole documents, those put together from what was left of them, and what is lost."""

    documents: list[Document] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    """Ids of documents of which a part is missing: title, metadata, passages or single characters."""
    lost: int = 0
    """Rows of documents that could not be read at all."""


def salvage(folder: Path) -> Salvaged:
    """Read from a damaged index what can be read; it is not changed."""
    if not schema.exists(folder):
        raise IndexNotFound(f"there is no index at {str(folder)!r}")
    schema.check_readable(folder / schema.FILE)
    try:
        return _read_folder(folder, "mode=ro")
    except sqlite3.OperationalError:
        # Where nothing can be written, the log beside the file cannot be read; then it is done without.
        return _read_folder(folder, "immutable=1")


def _read_folder(folder: Path, mode: str) -> Salvaged:
    uri = (folder / schema.FILE).resolve().as_uri()
    with closing(sqlite3.connect(f"{uri}?{mode}", uri=True)) as connection:
        # Bytes that are no text cost single characters instead of the whole row.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            connection.execute("SELECT name FROM sqlite_master").fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise FormatError(f"nothing can be read from {str(folder / schema.FILE)!r}: {error}") from error
        return _salvage_documents(connection)


def _salvage_documents(connection: sqlite3.Connection) -> Salvaged:
    salvaged = Salvaged()
    passages: dict[Any, dict[int, tuple[str, str]]] = defaultdict(dict)
    unread: list[int] = []
    for _, document, position, id, body in _rows(connection, "passage", "row, document, position, id, text", []):
        # Which type a value has stands beside it in the file, and may be damaged as well.
        if isinstance(id, str) and isinstance(body, str) and isinstance(position, int):
            passages[document][position] = id, body
    for row, id, title, aliases, metadata, body in _rows(
        connection, "document", "row, id, title, aliases, metadata, text", unread
    ):
        pieces = passages.pop(row, {})
        if not isinstance(id, str):
            salvaged.lost += 1
            continue
        text = body if isinstance(body, str) else _join_passages(pieces)
        known_title = title if isinstance(title, str) else ""
        known_metadata, whole = _metadata(metadata)
        _keep(
            salvaged, Document(id, text, known_title, known_metadata, _aliases(aliases)), whole and title == known_title
        )
    for pieces in passages.values():
        id = min(pieces.items())[1][0].rpartition("#")[0]
        _keep(salvaged, Document(id, _join_passages(pieces)), False)
    # A row that could not be read may have been put together again from its passages.
    salvaged.lost += max(0, len(unread) - len(passages))
    return salvaged


def _rows(connection: sqlite3.Connection, table: str, columns: str, unread: list[int]) -> Iterator[tuple[Any, ...]]:
    """Read a table in steps; a step that cannot be read is halved until only single rows are left out."""
    last = _highest(connection, table)
    # A stack, so the first step stands last: rows come out in their order.
    steps = [(start, min(start + _STEP, last + 1)) for start in range(last - last % _STEP, -1, -_STEP)]
    while steps:
        start, end = steps.pop()
        try:
            asked = f"SELECT {columns} FROM {table} WHERE row >= ? AND row < ?"
            yield from connection.execute(asked, (start, end)).fetchall()
        except sqlite3.DatabaseError:
            if end - start == 1:
                unread.append(start)
                continue
            middle = (start + end) // 2
            steps += [(middle, end), (start, middle)]


def _highest(connection: sqlite3.Connection, table: str) -> int:
    """Find how far the rows of a table go, by the table itself or by the count that the index keeps."""
    asked = (f"SELECT max(row) FROM {table}", f"SELECT value - 1 FROM meta WHERE key = 'next_{table}'")
    for sql in asked:
        with suppress(sqlite3.DatabaseError, TypeError, ValueError):
            highest = int(connection.execute(sql).fetchone()[0])
            if 0 <= highest < _WIDEST:
                return highest
    return -1


def _join_passages(pieces: dict[int, tuple[str, str]]) -> str:
    return "\n\n".join(body for _, (_, body) in sorted(pieces.items()))


def _metadata(stored: object) -> tuple[Metadata, bool]:
    with suppress(FormatError):
        if isinstance(stored, str):
            return load_metadata(stored), True
    return {}, False


def _aliases(stored: object) -> tuple[str, ...]:
    with suppress(ValueError, TypeError):
        return tuple(each for each in json.loads(str(stored)) if isinstance(each, str))
    return ()


def _keep(salvaged: Salvaged, document: Document, whole: bool) -> None:
    if not document.text.strip():
        salvaged.lost += 1
        return
    salvaged.documents.append(document)
    if not whole or "\ufffd" in document.title + document.text:
        salvaged.incomplete.append(document.id)
