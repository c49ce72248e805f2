"""Filters over metadata, as the passages they let through."""

from __future__ import annotations

import numpy as np

from multihop.index.stores.core.filters import Condition, Kinds, conditions
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

    def field_names(self) -> list[str]:
        return [field for (field,) in self._connection.rows("SELECT DISTINCT field FROM attribute")]


def passing_rows(connection: schema.Connection, where: Where) -> Rows:
    """Find the rows of the passages whose documents meet every condition, sorted."""
    documents = set.intersection(*(_documents(connection, c) for c in conditions(where, SqliteFields(connection))))
    found = schema.select_in(connection, "SELECT row FROM passage WHERE document IN (?)", documents)
    return np.array(sorted({row for (row,) in found}), dtype=np.int64)


def _documents(connection: schema.Connection, condition: Condition) -> set[int]:
    sql = "SELECT document FROM attribute WHERE field = ? AND "
    if condition.values:
        sql, values = sql + "value = ?", [(condition.field, value) for value in condition.values]
    else:
        # Numbers and texts never compare.
        compared = (
            f"value {o} ? AND typeof(value) {'=' if isinstance(v, str) else '<>'} 'text'" for o, v in condition.bounds
        )
        sql, values = sql + " AND ".join(compared), [(condition.field, *(v for _, v in condition.bounds))]
    return {document for given in values for (document,) in connection.rows(sql, given)}
