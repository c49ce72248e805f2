"""Filters over metadata: from {"country": "Japan"} to the documents it lets through."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from multihop.errors import InvalidFilter, suggestion
from multihop.index.stores.sqlite.schema import Connection, storable
from multihop.types import Scalar, Where

RANGES = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def key(where: Where) -> str:
    """Write a filter out, so that equal texts mean equal filters."""
    return repr([(f, dict(c) if isinstance(c, Mapping) else c) for f, c in where.items()])


def documents(connection: Connection, where: Where) -> set[int]:
    """Find the rows of the documents that meet every condition; a field with several values meets it with any of them.

    Conditions: a value (equality), a list (membership), or bounds such as {"gte": 1990, "lt": 2000}.
    """
    found: set[int] | None = None
    for field, condition in where.items():
        _check_field(connection, field)
        matching = _matching(connection, field, condition)
        found = matching if found is None else found & matching
    return found if found is not None else set()


def _check_field(connection: Connection, field: Any) -> None:
    if not isinstance(field, str):
        raise InvalidFilter(f"a filter names metadata fields by text, not by {field!r}")
    if not storable(field) or not connection.rows("SELECT 1 FROM attribute WHERE field = ? LIMIT 1", (field,)):
        fields = [r[0] for r in connection.rows("SELECT DISTINCT field FROM attribute")]
        raise InvalidFilter(f"no document has the metadata field {field!r}: {suggestion(field, fields)}")


def _matching(connection: Connection, field: str, condition: Any) -> set[int]:
    if isinstance(condition, Mapping):
        return _between(connection, field, condition)
    if isinstance(condition, list | tuple | set | frozenset):
        if not condition:
            raise InvalidFilter(f"the filter on {field!r} is an empty list; give at least one value")
        return set().union(*(_equal(connection, field, v) for v in condition))
    return _equal(connection, field, condition)


def _equal(connection: Connection, field: str, value: Any) -> set[int]:
    _check_value(connection, field, value)
    rows = connection.rows("SELECT document FROM attribute WHERE field = ? AND value = ?", (field, value))
    return {r[0] for r in rows}


def _between(connection: Connection, field: str, bounds: Mapping[str, Any]) -> set[int]:
    if not bounds or not set(bounds) <= set(RANGES):
        raise InvalidFilter(
            f"the filter on {field!r} has bounds {sorted(map(str, bounds))}; allowed are {', '.join(RANGES)}"
        )
    sql, values = "SELECT document FROM attribute WHERE field = ?", [field]
    for name, bound in bounds.items():
        _check_value(connection, field, bound)
        # Numbers and texts never compare: SQLite sorts every number before every text.
        sql += f" AND value {RANGES[name]} ? AND typeof(value) {'=' if isinstance(bound, str) else '<>'} 'text'"
        values.append(bound)
    return {r[0] for r in connection.rows(sql, values)}


def _check_value(connection: Connection, field: str, value: Any) -> None:
    if not isinstance(value, Scalar) or not storable(value) or (isinstance(value, float) and math.isnan(value)):
        raise InvalidFilter(
            f"the filter on {field!r} holds {value!r}; allowed are texts, numbers, booleans, lists of them, "
            f"or bounds such as {{'gte': 1990}}"
        )
    [ends] = connection.rows(
        "SELECT (SELECT typeof(value) FROM attribute WHERE field = :f ORDER BY value LIMIT 1),"
        " (SELECT typeof(value) FROM attribute WHERE field = :f ORDER BY value DESC LIMIT 1)",
        {"f": field},
    )
    holds_text, holds_numbers = ends[1] == "text", ends[0] != "text"
    if isinstance(value, str) and not holds_text:
        raise InvalidFilter(f"the metadata field {field!r} holds numbers; got the text {value!r}: leave out the quotes")
    if not isinstance(value, str) and not holds_numbers:
        raise InvalidFilter(f"the metadata field {field!r} holds texts; got the number {value!r}: put it in quotes")
