"""Filters over metadata, as the passages they let through."""

from __future__ import annotations

from typing import Any

import numpy as np

from multihop.index.stores.core.filters import Condition, Either, Every, Expression, IdFilter, Kinds, Not, parse_filter
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import Rows
from multihop.types import Where

_ENDS = """
    SELECT (SELECT typeof(value) FROM attribute WHERE field = :f ORDER BY value LIMIT 1),
           (SELECT typeof(value) FROM attribute WHERE field = :f ORDER BY value DESC LIMIT 1)"""


class SqliteFields:
    """The metadata fields of one snapshot."""

    def __init__(self, connection: schema.Connection) -> None:
        self._connection = connection

    def kinds(self, field: str) -> Kinds:
        # SQLite sorts every number before every text, so the two ends tell.
        [(first, last)] = self._connection.rows(_ENDS, {"f": field})
        return Kinds(texts=last == "text", numbers=first not in (None, "text"))

    def texts(self, field: str) -> list[str]:
        held = "SELECT DISTINCT value FROM attribute WHERE field = ? AND typeof(value) = 'text'"
        return [text for (text,) in self._connection.rows(held, (field,))]

    def field_names(self) -> list[str]:
        return [field for (field,) in self._connection.rows("SELECT DISTINCT field FROM attribute")]


def passing_rows(connection: schema.Connection, where: Where) -> tuple[Rows, frozenset[int]]:
    """Find the rows of the passages whose documents pass the filter, sorted, and as a set."""
    documents = _documents(connection, parse_filter(where, SqliteFields(connection)))
    passages = schema.select_in(connection, "SELECT row FROM passage WHERE document IN (?)", documents)
    rows = frozenset(row for (row,) in passages)
    return np.array(sorted(rows), dtype=np.int64), rows


def _documents(connection: schema.Connection, expression: Expression) -> set[int]:
    match expression:
        case Every(parts):
            return set.intersection(*(_documents(connection, part) for part in parts))
        case Either(parts):
            return set.union(*(_documents(connection, part) for part in parts))
        case Not(part):
            every = {row for (row,) in connection.rows("SELECT row FROM document")}
            return every - _documents(connection, part)
        case IdFilter(ids):
            rows = schema.select_in(connection, "SELECT row FROM document WHERE id IN (?)", ids)
            return {row for (row,) in rows}
        case _:
            return _meeting(connection, expression)


def _meeting(connection: schema.Connection, condition: Condition) -> set[int]:
    sql = "SELECT document FROM attribute WHERE field = ?"
    values: list[tuple[Any, ...]] = [(condition.field,)]
    if condition.exists:
        pass
    elif condition.bounds:
        # Numbers and texts never compare.
        compared = (
            f" AND value {o} ? AND typeof(value) {'=' if isinstance(v, str) else '<>'} 'text'"
            for o, v in condition.bounds
        )
        sql, values = sql + "".join(compared), [(condition.field, *(v for _, v in condition.bounds))]
    else:
        sql, values = sql + " AND value = ?", [(condition.field, value) for value in condition.values]
    return {document for given in values for (document,) in connection.rows(sql, given)}
