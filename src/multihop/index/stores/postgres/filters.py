"""Filters over metadata, as conditions inside SQL."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from multihop.errors import InvalidFilter, suggestion
from multihop.index.stores.postgres.connecting import Snapshot
from multihop.index.stores.postgres.packing import restored, stored
from multihop.index.stores.sqlite.filters import RANGES
from multihop.index.stores.sqlite.schema import storable
from multihop.types import Scalar, Where

Kinds = tuple[bool, bool]
"""Whether a field holds texts, and whether it holds numbers."""


@dataclass(frozen=True, slots=True)
class Passing:
    """Which passages a filter lets through: conditions for rows that have a part and a number, and their values."""

    conditions: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()

    def on(self, table: str) -> str:
        """Write the conditions for a table, to be put behind others."""
        return "".join(
            f" AND ({table}.part, {table}.number) IN (SELECT part, number FROM attribute WHERE {condition})"
            for condition in self.conditions
        )


def passing(snapshot: Snapshot, where: Where) -> Passing:
    """Read a filter; a field with several values meets a condition with any of them.

    Conditions: a value (equality), a list (membership), or bounds such as {"gte": 1990, "lt": 2000}.
    """
    conditions: list[str] = []
    values: list[Any] = []
    for field, condition in where.items():
        kinds = _kinds(snapshot, field)
        sql, given = _condition(field, condition, kinds)
        conditions.append(f"field = %s AND {sql}")
        values += [stored(field), *given]
    return Passing(tuple(conditions), tuple(values))


def _kinds(snapshot: Snapshot, field: Any) -> Kinds:
    if not isinstance(field, str):
        raise InvalidFilter(f"a filter names metadata fields by text, not by {field!r}")
    kinds = (False, False)
    if storable(field):
        held = "SELECT 1 FROM attribute WHERE field = %s AND {} IS NOT NULL LIMIT 1"
        found = snapshot.many([(held.format(column), (stored(field),)) for column in ("words", "value")])
        kinds = (bool(found[0]), bool(found[1]))
    if not any(kinds):
        fields = [restored(f) for (f,) in snapshot.rows("SELECT DISTINCT field FROM attribute")]
        raise InvalidFilter(f"no document has the metadata field {field!r}: {suggestion(field, fields)}")
    return kinds


def _condition(field: str, condition: Any, kinds: Kinds) -> tuple[str, list[Any]]:
    if isinstance(condition, Mapping):
        return _between(field, condition, kinds)
    if isinstance(condition, list | tuple | set | frozenset):
        if not condition:
            raise InvalidFilter(f"the filter on {field!r} is an empty list; give at least one value")
        return _among(field, condition, kinds)
    return _among(field, [condition], kinds)


def _among(field: str, values: Iterable[Any], kinds: Kinds) -> tuple[str, list[Any]]:
    given = [_checked(field, value, kinds) for value in values]
    words = [v for v in given if isinstance(v, str)]
    numbers = [v for v in given if not isinstance(v, str)]
    alternatives: list[str] = []
    held: list[Any] = []
    if words:
        alternatives.append('(left(words, 64) COLLATE "C" = ANY(%s) AND words = ANY(%s))')
        held += [[w[:64] for w in words], words]
    if numbers:
        alternatives.append("value = ANY(%s)")
        held.append(numbers)
    return f"({' OR '.join(alternatives)})", held


def _between(field: str, bounds: Mapping[str, Any], kinds: Kinds) -> tuple[str, list[Any]]:
    if not bounds or not set(bounds) <= set(RANGES):
        raise InvalidFilter(
            f"the filter on {field!r} has bounds {sorted(map(str, bounds))}; allowed are {', '.join(RANGES)}"
        )
    given = {name: _checked(field, bound, kinds) for name, bound in bounds.items()}
    # Numbers and texts never compare.
    compared = (
        f'words COLLATE "C" {RANGES[name]} %s' if isinstance(bound, str) else f"value {RANGES[name]} %s"
        for name, bound in given.items()
    )
    return " AND ".join(compared), list(given.values())


def _checked(field: str, value: Any, kinds: Kinds) -> str | Decimal:
    if not isinstance(value, Scalar) or not storable(value) or (isinstance(value, float) and math.isnan(value)):
        raise InvalidFilter(
            f"the filter on {field!r} holds {value!r}; allowed are texts, numbers, booleans, lists of them, "
            f"or bounds such as {{'gte': 1990}}"
        )
    holds_text, holds_numbers = kinds
    if isinstance(value, str) and not holds_text:
        raise InvalidFilter(f"the metadata field {field!r} holds numbers; got the text {value!r}: leave out the quotes")
    if not isinstance(value, str) and not holds_numbers:
        raise InvalidFilter(f"the metadata field {field!r} holds texts; got the number {value!r}: put it in quotes")
    return stored(value) if isinstance(value, str) else Decimal(value)
