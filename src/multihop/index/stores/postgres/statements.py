"""Running statements outside a snapshot: one value read, or many rows copied in the binary format of COPY."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]
Statement = tuple[str, Sequence[Any]]
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"


def value(connection: Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """Read the first column of the first row; None where there is no row."""
    found = connection.execute(sql, values).fetchone()
    return found[0] if found else None


def copy_rows(connection: Connection, table: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Copy rows into a table, whose columns are of these types."""
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)


def copy_packed(connection: Connection, table: str, packed: Iterable[bytes]) -> None:
    """Copy rows that are written in the binary format already."""
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(_HEADER)
        for rows in packed:
            copy.write(rows)
        copy.write(_END)
