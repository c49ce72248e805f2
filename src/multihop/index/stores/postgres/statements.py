"""Running statements outside a snapshot: one value read, or many rows copied in the binary format of COPY."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from string import Template
from typing import Any, NamedTuple

import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]
Rows = list[tuple[Any, ...]]
Merge = Callable[[Rows, Sequence[Any]], Rows]
"""Makes the rows that each shard gave, and the values of the statement, the rows of the whole."""


class Statement(NamedTuple):
    """SQL with its values, and how the rows of shards merge where each is read on its own.

    Our tables have a dollar sign, since they may be read under other names; one that is distributed by part has an
    alias too: `FROM $passage p`.
    """

    sql: str
    values: Sequence[Any] = ()
    merge: Merge | None = None
    """None where only Citus can tell."""


@lru_cache(maxsize=4096)
def tables_of(sql: str) -> frozenset[str]:
    """Return those of our tables that a statement reads."""
    return frozenset(Template(sql).get_identifiers())


@lru_cache(maxsize=4096)
def plain(sql: str) -> str:
    """Write a statement with the names that our tables have."""
    return with_tables(sql, {})


def with_tables(sql: str, names: Mapping[str, str]) -> str:
    """Write a statement with other names for some of our tables, or with subqueries in their place."""
    return Template(sql).substitute({table: table for table in tables_of(sql)}, **names)


def concatenate(rows: Rows, _: Sequence[Any]) -> Rows:
    """Concatenate the rows of the shards."""
    return rows


def distinct(rows: Rows, _: Sequence[Any]) -> Rows:
    """Leave out the rows that another shard gave already."""
    return list(dict.fromkeys(rows))


def add_up(rows: Rows, _: Sequence[Any]) -> Rows:
    """Add up one number of each shard."""
    return [(sum(number for (number,) in rows),)]


def first(rows: Rows, _: Sequence[Any]) -> Rows:
    """Return one row, from whichever shard has it."""
    return rows[:1]


def by_number(limit: int) -> Merge:
    """Order rows by the number in their first column, and take the first ones up to a limit."""
    return lambda rows, _: sorted(rows, key=itemgetter(0))[:limit]


def best_first(rows: Rows, _: Sequence[Any]) -> Rows:
    """Order rows by the score in their second column, ties by the number in their first."""
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def best(rows: Rows, values: Sequence[Any]) -> Rows:
    """Order rows as `best_first`, and take as many as the last value says."""
    return best_first(rows, values)[: values[-1]]


_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"


def value(connection: Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """Read the first column of the first row; None where there is no row."""
    row = connection.execute(sql, values).fetchone()
    return row[0] if row else None


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
